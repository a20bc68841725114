/** Opens test data before the page relies on it, to detect browsers that are too old. */
import { createByteReader, READ_CHUNK_BYTES } from '#seal/byte-stream.ts';
import { generateCaseKey } from '#seal/case-key.ts';
import { openEnvelope, type SealedPlace, sealEnvelope } from '#seal/envelope.ts';
import { parseMarkdown } from '#seal/markdown.ts';
import { validateCaseMessage } from '#seal/message.ts';
import { openSealedFile, sealFile } from '#seal/sealed-file.ts';
import { deriveWordKeys, generateWords } from '#seal/words.ts';

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
