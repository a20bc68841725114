/** Seals what arrives unsealed while it streams in, to the same keys as a browser would; no plain text is stored. */
import type { Voucher } from '#payments/redeem.ts';
import { measureStream } from '#seal/core/byte-stream.ts';
import type { WordKeys } from '#seal/core/words.ts';
import { stripImageMetadata } from '#seal/files/image-metadata.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/form/inquiry-files.ts';
import type { AttachedFile } from '#seal/form/inquiry-form.ts';
import type { Services } from '#services.ts';
import type { InquiryChoices, SealedInquiry } from '../intake/create-case.ts';
import { deriveUploader, discardUpload, storeUpload, type Upload } from '../intake/uploads.ts';

interface IncomingFile {
  readonly name: string;
  readonly mime: string;
  readonly content: ReadableStream<Uint8Array>;
  readonly keepHiddenData: boolean;
}

export interface ArrivalSealer {
  /** The file is sealed and stored when this resolves; nothing of a file that is too large is stored. */
  readonly addFile: (file: IncomingFile) => Promise<AttachedFile>;
  readonly finish: (inquiry: Inquiry, choices: InquiryChoices) => Promise<SealedInquiry>;
  /** Deletes uploads that no case uses, because the inquiry was refused or an identical one arrived first. */
  readonly discard: () => Promise<void>;
}

export async function createArrivalSealer(
  services: Pick<Services, 'clock' | 'keyring' | 'store' | 'sealing' | 'sealingKeys'>,
  words: WordKeys,
  voucher: Voucher,
): Promise<ArrivalSealer> {
  const { sealing } = services;
  const uploader = deriveUploader(services.keyring, voucher);
  const key = await sealing.generateCaseKey(words);
  const files: Upload[] = [];
  const uploads: Upload[] = [];
  const storeSealed = async (sealed: ReadableStream<Uint8Array>) => {
    const upload = await storeUpload(services, uploader, sealed);
    uploads.push(upload);
    return upload;
  };
  return {
    addFile: async ({ name, mime, content, keepHiddenData }) => {
      const cleaned = keepHiddenData ? content : (await stripImageMetadata(content)).content;
      const measured = measureStream(cleaned);
      const position = { kind: 'inquiry-file.v1', seq: files.length } as const;
      const file = { name, mime, content: measured.stream, maxBytes: MAX_INQUIRY_FILE_BYTES };
      files.push(await storeSealed(await sealing.sealFile(key, position, file)));
      return { name, mime, size: measured.length() ?? 0 };
    },
    finish: async (inquiry, choices) => {
      const envelope = await sealing.sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
      const sealingKeys = await services.sealingKeys;
      return {
        lookupHash: words.lookupHash,
        caseKey: await sealing.sealCaseKey(key, sealingKeys),
        recipientSet: sealingKeys.set,
        inquiry: envelope,
        files,
        ...choices,
        sealedBy: 'server',
      };
    },
    discard: async () => {
      // The sweep deletes what cannot be deleted now; a failure must not hide the outcome of the inquiry.
      for (const { id } of uploads) await discardUpload(services, id).catch(() => undefined);
    },
  };
}
