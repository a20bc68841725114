/** Seals and opens test data before the page relies on it, to detect browsers that are too old. */
import { createByteReader, READ_CHUNK_BYTES } from '#seal/core/byte-stream.ts';
import { generateCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope, type SealedPlace, sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { stripImageMetadata } from '#seal/files/image-metadata.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { validateInquiry } from '#seal/form/inquiry.ts';

const place: SealedPlace = { kind: 'inquiry.v1', seq: 0 };

/** Runs at the start, while the form can still be sent without a script. */
export async function selfTestSealing(): Promise<void> {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  validateInquiry(await openEnvelope(key, place, await sealEnvelope(key, place, {})), { includesCall: true });
  const { content } = await stripImageMetadata(new Blob([]).stream());
  const sealed = createByteReader(await sealFile(key, place, { name: '', mime: '', content, maxBytes: 0 }));
  while ((await sealed.readSome(READ_CHUNK_BYTES)) !== null);
}
