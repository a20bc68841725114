/** Opens a trifle before the page relies on it: a browser too old for any part of this shows it now. */
import { byteReader, PIECE_BYTES } from '#seal/byte-stream.ts';
import { newCaseKey } from '#seal/case-key.ts';
import { openEnvelope, type Place, sealEnvelope } from '#seal/envelope.ts';
import { markdownTree } from '#seal/markdown.ts';
import { validateMessage } from '#seal/message.ts';
import { openFile, sealFile } from '#seal/sealed-file.ts';
import { newWords, wordKeys } from '#seal/words.ts';

const place: Place = { kind: 'finding.v1', seq: 0 };

/** Throws while the words can still be sent without a script. */
export async function rehearse(): Promise<void> {
  const key = await newCaseKey(await wordKeys(newWords()));
  validateMessage(await openEnvelope(key, place, await sealEnvelope(key, place, {})));
  markdownTree('*');
  const content = new Blob([]).stream();
  const sealed = await sealFile(key, place, { name: '', mime: '', content, maxBytes: 0 });
  const opened = byteReader((await openFile(key, place, sealed)).content);
  while ((await opened.some(PIECE_BYTES)) !== null);
}
