/** The worker of the case page: holds the case key and opens everything. */
import { createCaseArchive } from '#browser/case/case-archive.ts';
import { CaseOpener } from '#browser/case/case-session.ts';
import { inspectFiles } from '#browser/files/inspect-files.ts';
import { sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import { serveJobs } from '#browser/rpc/worker-end.ts';
import type { OpenerJobs } from './opener-jobs.ts';
import { selfTestOpening } from './opening-self-test.ts';

const opener = new CaseOpener();

serveJobs<OpenerJobs>(selfTestOpening, {
  open: async ({ words }) => await opener.openCase(words),
  look: async () => await opener.lookForNews(),
  inspect: async (files) => await inspectFiles(files),
  write: async (message, progress) => await opener.sendMessage(message, progress),
  keep: async ({ days }) => await opener.updateKeepDays(days),
  notify: async ({ address }) => await opener.setNoticeAddress(address),
  silence: async () => await opener.removeNoticeAddress(),
  withdraw: async () => await opener.withdrawCase(),
  purge: async () => await opener.purgeCase(),
  archive: async (request, progress) =>
    await createCaseArchive(
      request,
      async (file, onShare) => await opener.downloadFile(file, onShare, sendRequestWithRetry),
      progress,
    ),
  save: async (file, progress) => await opener.downloadFile(file, progress),
});
