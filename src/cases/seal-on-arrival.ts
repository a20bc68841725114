/** Seals what arrives in plain: as it streams by, to the same keys as a browser would, and nothing of it is written. */
import type { Voucher } from '#payments/redeem.ts';
import { measureStream } from '#seal/byte-stream.ts';
import { generateCaseKey, sealCaseKey } from '#seal/case-key.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { stripImageMetadata } from '#seal/image-metadata.ts';
import type { Inquiry } from '#seal/inquiry.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/inquiry-files.ts';
import type { AttachedFile } from '#seal/inquiry-form.ts';
import { sealFile } from '#seal/sealed-file.ts';
import type { WordKeys } from '#seal/words.ts';
import type { Services } from '#services.ts';
import type { SealedInquiry } from './create-case.ts';
import type { KeepDays } from './retention.ts';
import { deriveUploadHolder, discardUpload, storeUpload, type Upload } from './uploads.ts';

interface IncomingFile {
  readonly name: string;
  readonly mime: string;
  readonly content: ReadableStream<Uint8Array>;
  readonly keepHiddenData: boolean;
}

export interface ArrivalSealer {
  /** Sealed and kept when this returns; refused whole where it is too large. */
  readonly addFile: (file: IncomingFile) => Promise<AttachedFile>;
  readonly finish: (inquiry: Inquiry, choices: Choices) => Promise<SealedInquiry>;
  /** Lets go of whatever found no case: the inquiry was refused, or the same one was faster. */
  readonly discard: () => Promise<void>;
}

interface Choices {
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

export async function createArrivalSealer(
  services: Pick<Services, 'clock' | 'keyring' | 'store' | 'sealingKeys'>,
  words: WordKeys,
  voucher: Voucher,
): Promise<ArrivalSealer> {
  const holder = deriveUploadHolder(services.keyring, voucher);
  const key = await generateCaseKey(words);
  const files: Upload[] = [];
  const kept: Upload[] = [];
  const storeSealed = async (sealed: ReadableStream<Uint8Array>) => {
    const upload = await storeUpload(services, holder, sealed);
    kept.push(upload);
    return upload;
  };
  return {
    addFile: async ({ name, mime, content, keepHiddenData }) => {
      const shown = keepHiddenData ? content : (await stripImageMetadata(content)).content;
      const counted = measureStream(shown);
      const place = { kind: 'inquiry-file.v1', seq: files.length } as const;
      const file = { name, mime, content: counted.stream, maxBytes: MAX_INQUIRY_FILE_BYTES };
      files.push(await storeSealed(await sealFile(key, place, file)));
      return { name, mime, size: counted.length() ?? 0 };
    },
    finish: async (inquiry, choices) => {
      const envelope = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
      return {
        lookupHash: words.lookupHash,
        caseKey: await sealCaseKey(key, await services.sealingKeys),
        inquiry: await storeSealed(ReadableStream.from([envelope])),
        files,
        ...choices,
        sealedBy: 'server',
      };
    },
    discard: async () => {
      for (const { id } of kept) await discardUpload(services, id);
    },
  };
}
