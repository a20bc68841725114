/** Opens a case with the desk key: prints what was asked and written, and saves its files where it is told. */
import { join } from 'node:path';
import { type OpenedCase, openCaseFile, openFileOf } from '#cases/decrypted-case.ts';
import type { CaseFile } from '#cases/sealed-case.ts';
import { EXIT } from '#platform/errors.ts';
import { SealError } from '#seal/seal-error.ts';
import { caseJson, iso } from './case-facts.ts';
import { openedText } from './case-text.ts';
import { atCase, bundleHelp, bundleOption } from './case-workspace.ts';
import { command } from './command.ts';
import { keyHelp, keyOption, readDeskKey } from './desk-key.ts';
import { Failure } from './failure.ts';
import { withProgress } from './progress.ts';
import { safeName } from './safe-name.ts';
import { demandFree, makePrivateFolder, saveFile } from './saved-file.ts';

export const openCase = command({
  usage: 'cases open ID|--bundle FILE --key FILE [--out FOLDER]',
  about: 'Open a case: print the inquiry, the messages and the finding, and save its files.',
  help: [keyHelp, ['--out FOLDER', 'save the files there; without it no file is written'], bundleHelp],
  options: { ...keyOption, ...bundleOption, out: { type: 'string' } },
  operands: 1,
  work: async ({ key: keyFile, bundle, out }, [id]) => {
    const identity = await readDeskKey(keyFile);
    return await atCase({ id, bundle }, async ({ file, now }) => {
      const opened = await openCaseFile(file, identity);
      const saved = out === undefined ? [] : await saveFiles(file, opened, out);
      return {
        text: openedText(opened, now(), { files: filesIn(file).length, saved }),
        json: { ...openedJson(opened, now()), saved },
      };
    });
  },
});

function openedJson({ record, inquiry, messages, finding }: OpenedCase, now: number) {
  return {
    case: caseJson(record, now),
    inquiry,
    messages: messages.map(({ by, seq, at, text, call_windows }) => ({
      by,
      seq,
      at: iso(at),
      text,
      call_windows,
    })),
    finding,
  };
}

const fileKinds = { 'inquiry-file.v1': 'inquiry', 'finding-file.v1': 'finding' } as const;
type FileKind = keyof typeof fileKinds;

function filesIn({ objects }: CaseFile): { readonly kind: FileKind; readonly seq: number }[] {
  return objects.flatMap(({ kind, seq }) =>
    Object.hasOwn(fileKinds, kind) ? [{ kind: kind as FileKind, seq }] : [],
  );
}

/** A file that is not genuine to its last byte is not kept, and does not keep the others from being saved. */
async function saveFiles(file: CaseFile, { key }: OpenedCase, folder: string): Promise<string[]> {
  await makePrivateFolder(folder);
  const saved: string[] = [];
  const faults: string[] = [];
  for (const { kind, seq } of filesIn(file)) {
    const label = `${fileKinds[kind]}-${seq + 1}`;
    try {
      const opened = await openFileOf(file, key, kind, seq);
      if (!opened) continue;
      const name = `${label}-${safeName(opened.name)}`;
      const path = join(folder, name);
      demandFree(path);
      const { size = 0 } = file.objects.find((each) => each.kind === kind && each.seq === seq) ?? {};
      await saveFile(path, withProgress(opened.content, name, size));
      saved.push(path);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      faults.push(`${label}: ${error.message}`);
    }
  }
  if (faults.length > 0) throw new Failure(faults.join(' '), EXIT.failure);
  return saved;
}
