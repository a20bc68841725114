/** Saving a file of the finding: opened and checked whole in the worker, then handed to the browser as a download. */
import { factsOf } from '#browser/rpc/fault.ts';
import type { PageWorker } from '#browser/rpc/page-end.ts';
import type { OpenerJobs, SavedFile } from '#browser/workers/opener-jobs.ts';
import type { FileRow } from './case-view.ts';

/** How often a screen reader is told. */
const STEP = 10;
/** Some browsers begin to read only after they have asked where to save. */
const READ_MS = 60_000;

export function offerSaving({ seq, button, status }: FileRow, opener: PageWorker<OpenerJobs>): void {
  let busy = false;
  const tell = (sentence: string, isFault = false) => {
    status.classList.toggle('error', isFault);
    if (status.textContent !== sentence) status.textContent = sentence;
  };
  const advance = (share: number) =>
    tell(`Loading and checking: ${Math.floor((share * 100) / STEP) * STEP} %`);
  const save = async () => {
    if (busy) return;
    busy = true;
    advance(0);
    try {
      handOver(await opener.ask('save', { seq }, advance));
      tell('It arrived whole and unchanged. Your browser saves it.');
    } catch (error) {
      tell(factsOf(error).sentence, true);
    } finally {
      busy = false;
    }
  };
  button.addEventListener('click', () => void save());
}

function handOver({ name, content }: SavedFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), READ_MS);
}
