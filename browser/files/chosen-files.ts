/** The list of chosen files: several choices add up, and each file shows what happens to it and can be removed. */
import { createElement } from '#browser/ui/element.ts';
import { findById } from '#browser/ui/find.ts';
import { say, toFaultText } from '#browser/ui/say.ts';
import { FILES_CONTROL, KEEP_EVIDENCE_CONTROL } from '#seal/form/inquiry-sections.ts';
import { ERROR_CLASS, FIELD_CLASS } from '#wire/page-parts.ts';
import type { AcceptedFile, FilesToInspect, FileVerdict, RefusedFile } from './inspect-files.ts';

export interface ChosenFiles {
  /** The files to send, once all of them are inspected. */
  readonly collectFiles: () => Promise<readonly File[]>;
}

interface ChosenFile extends AcceptedFile {
  readonly file: File;
}

type Inspector = (files: FilesToInspect) => Promise<readonly FileVerdict[]>;

/** Includes the files that were chosen before the script ran. Null if the page has no control for files. */
export function offerFileList(inspect: Inspector): ChosenFiles | null {
  const input = findById(FILES_CONTROL);
  if (!input) return null;
  // Ticked if hidden data is to stay in the files.
  const evidence = findById(KEEP_EVIDENCE_CONTROL);
  const evidenceField = evidence?.closest<HTMLElement>(`.${FIELD_CLASS}`);
  const list = createElement('ul', { 'aria-label': say('files.chosen') });
  const status = createElement('p', { role: 'status' });
  let chosen: readonly ChosenFile[] = [];
  let looking: Promise<void> = Promise.resolve();

  const showStatus = (sentences: readonly string[], isFault: boolean) => {
    status.classList.toggle(ERROR_CLASS, isFault);
    status.replaceChildren(...sentences.map((sentence) => createElement('span', {}, sentence)));
  };
  const showChosen = (files: readonly ChosenFile[]) => {
    chosen = files;
    input.files = toFileList(files.map(({ file }) => file));
    list.hidden = files.length === 0;
    if (evidenceField)
      evidenceField.hidden = !files.some(({ fate }) => fate === 'cleaned' || fate === 'converted');
    list.replaceChildren(...files.map((file) => createRow(file, evidence?.checked ?? false, removeFile)));
  };
  const removeFile = (removed: ChosenFile) => {
    const place = chosen.indexOf(removed);
    showChosen(chosen.filter((file) => file !== removed));
    showStatus([say('files.removed', { file: removed.file.name })], false);
    (list.querySelectorAll('button')[place] ?? input).focus();
  };
  const addFiles = async (added: readonly File[]) => {
    const before = chosen.map(({ file }) => file);
    const fresh = added.filter((file) => !before.some((known) => isSameFile(known, file)));
    const verdicts = await inspect({ added: fresh, before });
    const pairs = fresh.map((file, index) => ({ file, ...verdicts[index]! }));
    showChosen([...chosen, ...pairs.flatMap((pair) => ('refused' in pair ? [] : pair))]);
    const faults = pairs.flatMap((pair) => ('refused' in pair ? formatRefusal(pair.file, pair) : []));
    showStatus(
      faults.length > 0 ? faults : [say('files.count', { count: chosen.length })],
      faults.length > 0,
    );
  };
  const takeChoice = () => {
    const added = [...(input.files ?? [])];
    showChosen(chosen);
    if (added.length === 0) return;
    showStatus([say('files.looking')], false);
    looking = looking.then(() => addFiles(added)).catch((error) => showStatus([toFaultText(error)], true));
  };
  input.after(createElement('div', { class: 'chosen' }, status, list));
  // The server puts this question before the files: a form without a script sends its fields in that order.
  if (evidenceField) input.closest(`.${FIELD_CLASS}`)?.after(evidenceField);
  input.addEventListener('change', takeChoice);
  evidence?.addEventListener('change', () => showChosen(chosen));
  // Sending a message resets its form.
  input.form?.addEventListener('reset', () => {
    showChosen([]);
    showStatus([], false);
  });
  takeChoice();
  return {
    collectFiles: async () => {
      let looked: typeof looking;
      do {
        looked = looking;
        await looked;
      } while (looked !== looking);
      return chosen.map(({ file, clean }) => (evidence?.checked ? file : clean));
    },
  };
}

function createRow(
  entry: ChosenFile,
  asEvidence: boolean,
  removeFile: (entry: ChosenFile) => void,
): HTMLElement {
  const { file, size, fate } = entry;
  const remove = createElement(
    'button',
    { type: 'button', class: 'button quiet', 'aria-label': say('files.remove_file', { file: file.name }) },
    say('files.remove'),
  );
  remove.addEventListener('click', () => removeFile(entry));
  const name = createElement('b', { dir: 'auto' }, file.name);
  return createElement(
    'li',
    {},
    createElement('p', {}, name, ` ${size}`),
    createNote(fate, asEvidence),
    remove,
  );
}

function createNote(fate: AcceptedFile['fate'], asEvidence: boolean): HTMLElement | '' {
  if (fate === 'plain') return '';
  const isKept = asEvidence && fate !== 'unclean';
  const attributes = { class: fate === 'unclean' ? 'caution' : 'hint' };
  return createElement('p', attributes, say(isKept ? 'files.kept' : `files.${fate}`));
}

function formatRefusal({ name: file }: File, { refused, limit }: RefusedFile): string {
  return refused === 'empty' ? say('files.empty', { file }) : say(`files.${refused}`, { file, limit });
}

/** Browsers create two objects for a file that is chosen twice. */
function isSameFile(one: File, other: File): boolean {
  return one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;
}

function toFileList(files: readonly File[]): FileList {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  return transfer.files;
}
