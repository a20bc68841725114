/** Saving a file of the finding: opened and checked whole in the worker, then handed to the browser as a download. */
import { toUserFacingErrorData } from '#browser/rpc/fault.ts';
import type { PageWorker } from '#browser/rpc/page-end.ts';
import type { DownloadedFile, OpenerJobs } from '#browser/workers/opener-jobs.ts';
import { ERROR_CLASS } from '#wire/page-parts.ts';
import type { FindingFileRow } from './case-view.ts';

/** How often a screen reader is told. */
const STEP = 10;
/** Some browsers begin to read only after they have asked where to save. */
const READ_MS = 60_000;

export function enableFileDownload(
  { seq, button, status }: FindingFileRow,
  opener: PageWorker<OpenerJobs>,
): void {
  let busy = false;
  const showStatus = (sentence: string, isFault = false) => {
    status.classList.toggle(ERROR_CLASS, isFault);
    if (status.textContent !== sentence) status.textContent = sentence;
  };
  const showDownloadProgress = (share: number) =>
    showStatus(`Loading and checking: ${Math.floor((share * 100) / STEP) * STEP} %`);
  const downloadFile = async () => {
    if (busy) return;
    busy = true;
    showDownloadProgress(0);
    try {
      saveWithBrowser(await opener.runJob('save', { seq }, showDownloadProgress));
      showStatus('It arrived whole and unchanged. Your browser saves it.');
    } catch (error) {
      showStatus(toUserFacingErrorData(error).sentence, true);
    } finally {
      busy = false;
    }
  };
  button.addEventListener('click', () => void downloadFile());
}

function saveWithBrowser({ name, content }: DownloadedFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), READ_MS);
}
