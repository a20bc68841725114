/** Seals and opens a trifle before the page relies on it: a browser too old for any part of this shows it now. */
import { byteReader, PIECE_BYTES } from '#seal/byte-stream.ts';
import { newCaseKey } from '#seal/case-key.ts';
import { openEnvelope, type Place, sealEnvelope } from '#seal/envelope.ts';
import { stripImageMetadata } from '#seal/image-metadata.ts';
import { validateInquiry } from '#seal/inquiry.ts';
import { sealFile } from '#seal/sealed-file.ts';
import { newWords, wordKeys } from '#seal/words.ts';

const place: Place = { kind: 'inquiry.v1', seq: 0 };

/** Throws while the form can still be sent without a script. */
export async function rehearse(): Promise<void> {
  const key = await newCaseKey(await wordKeys(newWords()));
  validateInquiry(await openEnvelope(key, place, await sealEnvelope(key, place, {})), { includesCall: true });
  const { content } = await stripImageMetadata(new Blob([]).stream());
  const sealed = byteReader(await sealFile(key, place, { name: '', mime: '', content, maxBytes: 0 }));
  while ((await sealed.some(PIECE_BYTES)) !== null);
}
