/** The worker of the case page: holds the case key and opens everything. */
import { type ArchiveRequest, createCaseArchive } from '#browser/case/case-files.ts';
import { type CaseAct, CaseOpener, type MessageInput } from '#browser/case/case-session.ts';
import { type FilesToInspect, inspectFiles } from '#browser/files/inspect-files.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import { sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import { serveJobs } from '#browser/rpc/worker-end.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import { parseMarkdown } from '#seal/case/markdown.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { createByteReader, READ_CHUNK_BYTES } from '#seal/core/byte-stream.ts';
import { generateCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope, type SealedPlace, sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { openSealedFile, sealFile } from '#seal/files/sealed-file.ts';
import type { EnteredWords } from './word-keys.ts';

const place: SealedPlace = { kind: 'finding.v1', seq: 0 };

const opener = new CaseOpener();

/** All but `open` and `inspect` need an open case. */
const jobs = {
  open: async ({ words }: EnteredWords) => await opener.openCase(words),
  practise: async ({ words }: EnteredWords) => opener.isOpenedBy(words),
  look: async () => await opener.lookForNews(),
  inspect: async (files: FilesToInspect) => await inspectFiles(files),
  write: async (message: MessageInput, progress: ProgressCallback) =>
    await opener.sendMessage(message, progress),
  act: async (act: CaseAct) => await opener.act(act),
  purge: async () => await opener.purgeCase(),
  archive: async (request: ArchiveRequest, progress: ProgressCallback) =>
    await createCaseArchive(
      request,
      async (file, onShare) => await opener.downloadFile(file, onShare, sendRequestWithRetry),
      progress,
    ),
  save: async (file: CaseFile, progress: ProgressCallback) => await opener.downloadFile(file, progress),
};
export type OpenerJobs = typeof jobs;

serveJobs(selfTestOpening, jobs);

/** Runs at the start, while the words can still be sent without a script. */
async function selfTestOpening(): Promise<void> {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  validateCaseMessage(await openEnvelope(key, place, await sealEnvelope(key, place, {})));
  parseMarkdown('*');
  const content = new Blob([]).stream();
  const sealed = await sealFile(key, place, { name: '', mime: '', content, maxBytes: 0 });
  const opened = createByteReader((await openSealedFile(key, place, sealed)).content);
  while ((await opened.readSome(READ_CHUNK_BYTES)) !== null);
}
