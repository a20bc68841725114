/** Reads files of a case in pieces, and opens them as a stream that fails unless all of it is genuine. */
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { type FilePlace, findNamedFile, toNamingPlace } from '#seal/case/case-files.ts';
import { openPartBody } from '#seal/case/note.ts';
import { createByteStream } from '#seal/core/byte-stream.ts';
import { formatPlace, type SealedPlace } from '#seal/core/envelope.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { type OpenedSealedFile, openSealedFile } from '#seal/files/sealed-file.ts';
import { type CaseReaderParts, readOfficeCase } from './case-reader.ts';
import { OfficeFault } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';

const PIECE_BYTES = 256 * 1024;

export async function streamCaseFile(
  parts: CaseReaderParts,
  id: string,
  { kind, seq }: FilePlace,
): Promise<OpenedSealedFile> {
  const { cases } = parts;
  if (!cases.get(id)?.key) await readOfficeCase(parts, id);
  // The key is missing if the desk was locked meanwhile.
  const { key, marks, opened: known } = cases.get(id) ?? {};
  const size = marks?.get(formatPlace({ kind, seq }));
  if (!key || size === undefined)
    throw new OfficeFault('unreadable', 'There is no such file, or it was deleted.');
  const path = `/cases/${id}/objects/${kind}/${seq}/pieces`;
  const sealed = createByteStream(readFilePieces(parts, path, Number(size)));
  return await withSealFaults(async () => {
    const named = findNamedFile(known?.get(formatPlace(toNamingPlace({ kind, seq })))?.part, { kind, seq });
    const opened = await openSealedFile(key, { kind, seq }, sealed, named);
    return { ...opened, content: createByteStream(readChecked(opened.content)) };
  });
}

export async function readPartBytes(
  parts: CaseReaderParts,
  id: string,
  place: SealedPlace,
): Promise<Uint8Array> {
  const { key, file } = await readOfficeCase(parts, id);
  const envelope = file.envelopes.find((each) => formatPlace(each) === formatPlace(place));
  if (!envelope) throw new OfficeFault('unreadable', 'There is no such part, or it was deleted.');
  const sealed = Buffer.from(envelope.sealed, 'base64url');
  const { bytes } = await withSealFaults(() => openPartBody(key, parts.key.identity, place, sealed));
  return bytes;
}

/** Yields exactly as many bytes as the office has announced. */
export async function* readFilePieces(
  { signer }: Pick<CaseReaderParts, 'signer'>,
  path: string,
  size: number,
): AsyncGenerator<Uint8Array> {
  for (let piece = 0, left = size; left > 0; piece += 1) {
    const maxBytes = Math.min(PIECE_BYTES, left);
    const { body, mediaType } = await signer.send({ method: 'GET', path: `${path}/${piece}`, maxBytes });
    if (mediaType !== OCTET_STREAM || body.length === 0) throw createHostileFault('it is not part of a file');
    left -= body.length;
    yield body;
  }
}

async function* readChecked(content: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = content.getReader();
  try {
    for (;;) {
      const { done, value } = await withSealFaults(() => reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function withSealFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // A piece that did not arrive must not be reported as forged.
    if (error instanceof SealError && error.cause instanceof OfficeFault) throw error.cause;
    if (error instanceof SealError) throw new OfficeFault('unreadable', error.message, error);
    throw error;
  }
}
