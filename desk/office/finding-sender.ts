/** Delivers findings: each file is sealed while it is sent in pieces; the text follows and completes the delivery. */
import { MAX_KEY_BYTES } from '#desk/keys/key-text.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { generateId } from '#platform/text/ids.ts';
import { computeTakenBack } from '#seal/case/case-differences.ts';
import {
  type Finding,
  MAX_FINDING_FILE_BYTES,
  toFindingFileSeq,
  validateFinding,
} from '#seal/case/finding.ts';
import { createByteReader, createByteStream, READ_CHUNK_BYTES } from '#seal/core/byte-stream.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { computeSealedFileSize, sealFile } from '#seal/files/sealed-file.ts';
import type { DeskCase, DeskFindingRequest } from '#wire/desk-cases.ts';
import type { UploadedPart } from '#wire/inquiry-requests.ts';
import { refuseKeyFile, refusePrivateKeys } from '../keys/key-slip.ts';
import type { SeenMessages } from './case-reader.ts';
import { type CaseWriterParts, createInvalidFault, postToCase, readCaseToWrite } from './case-writer.ts';
import { countTakenBack, toCasePath } from './known-case.ts';
import { OfficeFault } from './office-fault.ts';

export interface DeskFinding {
  readonly markdown: string;
  readonly files: readonly DeskAttachment[];
  readonly seen: SeenMessages;
  /** Delivers without a period in which it can be taken back. */
  readonly atOnce?: boolean;
}

export interface DeskAttachment {
  readonly name: string;
  readonly size: number;
  /** Read once while it is sealed. */
  readonly content: () => ReadableStream<Uint8Array>;
}

/** Counts sealed bytes of all files together. */
export interface DeliveryProgress {
  readonly sent: number;
  readonly total: number;
}

/** By file extension, without types that a browser would run. */
const fileTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};

const PIECE_BYTES = 256 * 1024;
const MAX_EMPTY_ANSWER = 1024;

interface FilePlan {
  readonly file: DeskAttachment;
  readonly seq: number;
  readonly size: number;
}

export async function deliverCaseFinding(
  parts: CaseWriterParts,
  id: string,
  finding: DeskFinding,
  onProgress: (sent: DeliveryProgress) => void,
): Promise<DeskCase> {
  const body = requireValidFinding(finding);
  const { key, opened } = await readCaseToWrite(parts, id, finding.seen);
  // Checked first, so that large files are not sealed in vain.
  requireDeliverable(opened.facts);
  // A finding that this desk saw and that is gone counts as taken back, whatever the office says: two findings with one
  // number could be passed off as each other.
  const seq = computeTakenBack(opened.content, countTakenBack(parts.cases, opened.facts));
  const plans = finding.files.map((file, index) => buildFilePlan(key, toFindingFileSeq(seq, index), file));
  const total = plans.reduce((sum, { size }) => sum + size, 0);
  const files: UploadedPart[] = [];
  let sent = 0;
  for (const plan of plans) {
    const upload = await uploadFile(parts, id, key, plan, (bytes) => {
      sent += bytes;
      onProgress({ sent, total });
    });
    files.push({ upload, size: plan.size });
  }
  const sealed = toBase64url(await sealEnvelope(key, { kind: 'finding.v1', seq }, body));
  const request: DeskFindingRequest = {
    seq,
    sealed,
    files,
    ...(finding.atOnce === true ? { at_once: true } : {}),
  };
  return await postToCase(parts, id, 'finding', request);
}

export function requireValidFinding({ markdown, files }: Pick<DeskFinding, 'markdown' | 'files'>): Finding {
  const facts = files.map(({ name, size }) => ({
    name,
    mime: findFileType(name),
    size,
    kept_as_evidence: false,
  }));
  const result = validateFinding({ markdown, files: facts });
  if (!('finding' in result)) throw createInvalidFault(result.errors);
  refusePrivateKeys(markdown);
  return result.finding;
}

/** Programs that open a finding show only types that they know. */
function findFileType(name: string): string {
  const [, ending = ''] = /\.([a-z0-9]+)$/.exec(name.toLowerCase()) ?? [];
  return Object.hasOwn(fileTypes, ending) ? (fileTypes[ending] ?? OCTET_STREAM) : OCTET_STREAM;
}

function requireDeliverable({ acts }: DeskCase): void {
  if (acts.includes('deliver')) return;
  if (acts.includes('take_over'))
    throw new OfficeFault('case_held', 'A colleague has this case. Reassign it to yourself first.');
  throw new OfficeFault(
    'case_state',
    'The finding was not sent: this case has already been delivered, declined or withdrawn. View the case to see its present state.',
  );
}

function buildFilePlan(key: CaseKey, seq: number, file: DeskAttachment): FilePlan {
  const { name, size } = file;
  const facts = { name, mime: findFileType(name) };
  return { file, seq, size: computeSealedFileSize(key, { kind: 'finding-file.v1', seq }, facts, size) };
}

/**
 * Sends each piece as soon as it is sealed. Returns the id under which the office stores the file until the finding
 * names it.
 */
async function uploadFile(
  { signer }: CaseWriterParts,
  id: string,
  key: CaseKey,
  { file, seq, size }: FilePlan,
  onPiece: (bytes: number) => void,
): Promise<string> {
  const content = createByteStream(readWithoutKeys(file));
  const facts = { name: file.name, mime: findFileType(file.name), content, maxBytes: MAX_FINDING_FILE_BYTES };
  const reader = createByteReader(await sealFile(key, { kind: 'finding-file.v1', seq }, facts));
  const upload = generateId();
  let sent = 0;
  try {
    for (let piece = 0; ; piece += 1) {
      const { length } = await reader.peek(PIECE_BYTES);
      if (length === 0) break;
      sent += length;
      const bytes = await reader.readExactly(length);
      const path = `${toCasePath(id)}/uploads/${upload}/${piece}`;
      await signer.send({ method: 'PUT', path, bytes, maxBytes: MAX_EMPTY_ANSWER });
      onPiece(length);
    }
  } finally {
    await reader.release();
  }
  if (sent !== size) throw createChangedFileFault(file);
  return upload;
}

/** Checks the start of a file for a private key before any of it is sent. */
async function* readWithoutKeys(file: DeskAttachment): AsyncGenerator<Uint8Array> {
  const reader = createByteReader(file.content());
  let length = 0;
  try {
    refuseKeyFile(await reader.peek(MAX_KEY_BYTES), file);
    for (;;) {
      const bytes = await reader.readSome(READ_CHUNK_BYTES);
      if (bytes === null) break;
      length += bytes.length;
      yield bytes;
    }
  } finally {
    await reader.release();
  }
  if (length !== file.size) throw createChangedFileFault(file);
}

function createChangedFileFault({ name }: DeskAttachment): OfficeFault {
  return new OfficeFault('invalid', `${name} changed while it was read, so nothing was delivered.`);
}
