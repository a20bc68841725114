/** Copies for the buyer: each file, the answer or the inquiry, saved or printed separately, and all in one archive. */
import { runOneAtATime, writeStatus } from '#browser/ui/element.ts';
import { findByData, findById } from '#browser/ui/find.ts';
import { saveWithBrowser } from '#browser/ui/save-and-print.ts';
import { formatStepPercent, say, toFaultText } from '#browser/ui/say.ts';
import type { CaseButton, CaseSlot } from '#wire/case-page.ts';
import { PRINTED_CLASS } from '#wire/page-parts.ts';
import type { ArchiveFile, ArchiveRequest } from './case-files.ts';
import type { BrowserCaseView } from './case-session.ts';
import { createAnswerFile, createInquiryText, createThreadText } from './case-texts.ts';
import type { CaseFileRow } from './case-view.ts';
import type { CaseVisit } from './case-visit.ts';

export function enableCopies(
  { opener }: CaseVisit,
  getShown: () => BrowserCaseView,
  markActivity: () => void,
): void {
  onPress('save-answer', (showStatus) => {
    const { finding } = getShown();
    if (finding) showStatus(saveText('html', createAnswerFile(finding)));
  });
  onPress('save-sent', (showStatus) => showStatus(saveText('txt', createInquiryText(getShown()))));
  onPress('print-answer', () => printAlone('finding'));
  onPress('print-sent', () => printAlone('inquiry'));
  onPress('save-all', async (showStatus) => {
    const showArchiveProgress = (share: number) => {
      markActivity();
      showStatus(say('copy.all.loading', { percent: formatStepPercent(share) }));
    };
    showArchiveProgress(0);
    try {
      const { content, isComplete } = await opener.runJob(
        'archive',
        createArchiveRequest(getShown()),
        showArchiveProgress,
      );
      const name = `${say('copy.name')}.zip`;
      saveWithBrowser({ name, content });
      showStatus(say(isComplete ? 'copy.saved' : 'copy.all.partly', { name }), !isComplete);
    } catch (error) {
      showStatus(say('copy.all.failed', { reason: toFaultText(error) }), true);
    }
  });
}

/** The worker opens and checks all of the file, then the browser downloads it. */
export function enableFileDownload(
  { file, button, status }: CaseFileRow,
  { opener }: CaseVisit,
  markActivity: () => void,
): void {
  const showDownloadProgress = (share: number) => {
    markActivity();
    writeStatus(status, say('case.file.loading', { percent: formatStepPercent(share) }));
  };
  const downloadFile = async () => {
    showDownloadProgress(0);
    try {
      saveWithBrowser(await opener.runJob('save', file, showDownloadProgress));
      writeStatus(status, say('case.file.saved'));
    } catch (error) {
      writeStatus(status, toFaultText(error), true);
    }
  };
  button.addEventListener('click', runOneAtATime(downloadFile));
}

type ShowStatus = (text: string, isFault?: boolean) => void;

/** The status line is the element after the buttons. */
function onPress(id: CaseButton, act: (showStatus: ShowStatus) => void | Promise<void>): void {
  const button = findById(id);
  const status = button?.parentElement?.nextElementSibling;
  const showStatus: ShowStatus = (text, isFault) => writeStatus(status, text, isFault);
  button?.addEventListener(
    'click',
    runOneAtATime(() => act(showStatus)),
  );
}

/** Returns the status to show. */
function saveText(ending: 'html' | 'txt', text: string): string {
  const name = `${say('copy.name')}.${ending}`;
  saveWithBrowser({ name, content: new Blob([text], { type: 'application/octet-stream' }) });
  return say('copy.saved', { name });
}

/** Restores the other print marks afterwards: the answer keeps its mark for the browser's own menu. */
function printAlone(slot: Extract<CaseSlot, 'finding' | 'inquiry'>): void {
  const marked = [...document.querySelectorAll(`.${PRINTED_CLASS}`)];
  const part = findByData('slot', slot);
  for (const element of marked) element.classList.remove(PRINTED_CLASS);
  part?.classList.add(PRINTED_CLASS);
  const restoreMarks = () => {
    part?.classList.remove(PRINTED_CLASS);
    for (const element of marked) element.classList.add(PRINTED_CLASS);
  };
  addEventListener('afterprint', restoreMarks, { once: true });
  print();
}

function createArchiveRequest(shown: BrowserCaseView): ArchiveRequest {
  const { finding, inquiryFiles, thread } = shown;
  const answerFiles = finding && 'content' in finding ? finding.content.files : [];
  const texts = [
    { name: `${say('copy.sent')}.txt`, text: createInquiryText(shown) },
    ...(thread.length > 0 ? [{ name: `${say('copy.messages')}.txt`, text: createThreadText(thread) }] : []),
    ...(finding ? [{ name: `${say('copy.answer')}.html`, text: createAnswerFile(finding) }] : []),
  ];
  const files: ArchiveFile[] = [
    ...[...inquiryFiles, ...thread.flatMap((message) => message.files)].map((file) => ({
      ...file,
      folder: say('copy.sent.files'),
    })),
    ...answerFiles.map((file) => ({ ...file, folder: say('copy.answer.files') })),
  ];
  const damagedNote = { name: `${say('copy.damaged')}.txt`, text: say('copy.damaged.text') };
  return { texts, files, damagedNote };
}
