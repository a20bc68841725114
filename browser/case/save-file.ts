/** Saves a file of the case: the worker opens and checks all of it, then the browser downloads it. */
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { toFaultText } from '#browser/ui/fault-text.ts';
import { saveWithBrowser } from '#browser/ui/save-with-browser.ts';
import { formatStepPercent, say } from '#browser/ui/say.ts';
import type { OpenerJobs } from '#browser/workers/opener.ts';
import { ERROR_CLASS } from '#wire/page-parts.ts';
import type { CaseFileRow } from './case-view.ts';

export function enableFileDownload(
  { file, button, status }: CaseFileRow,
  opener: PageWorker<OpenerJobs>,
  markActivity: () => void,
): void {
  let busy = false;
  const showStatus = (sentence: string, isFault = false) => {
    status.classList.toggle(ERROR_CLASS, isFault);
    if (status.textContent !== sentence) status.textContent = sentence;
  };
  const showDownloadProgress = (share: number) => {
    markActivity();
    showStatus(say('case.file.loading', { percent: formatStepPercent(share) }));
  };
  const downloadFile = async () => {
    if (busy) return;
    busy = true;
    showDownloadProgress(0);
    try {
      saveWithBrowser(await opener.runJob('save', file, showDownloadProgress));
      showStatus(say('case.file.saved'));
    } catch (error) {
      showStatus(toFaultText(error), true);
    } finally {
      busy = false;
    }
  };
  button.addEventListener('click', () => void downloadFile());
}
