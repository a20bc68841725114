/** Opens test data before the page relies on it, to detect browsers that are too old. */

import { parseMarkdown } from '#seal/case/markdown.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { createByteReader, READ_CHUNK_BYTES } from '#seal/core/byte-stream.ts';
import { generateCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope, type SealedPlace, sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { openSealedFile, sealFile } from '#seal/files/sealed-file.ts';

const place: SealedPlace = { kind: 'finding.v1', seq: 0 };

/** Runs at the start, while the words can still be sent without a script. */
export async function selfTestOpening(): Promise<void> {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  validateCaseMessage(await openEnvelope(key, place, await sealEnvelope(key, place, {})));
  parseMarkdown('*');
  const content = new Blob([]).stream();
  const sealed = await sealFile(key, place, { name: '', mime: '', content, maxBytes: 0 });
  const opened = createByteReader((await openSealedFile(key, place, sealed)).content);
  while ((await opened.readSome(READ_CHUNK_BYTES)) !== null);
}
