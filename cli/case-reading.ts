/** The command that opens a case with the desk key: prints its contents and can save its files. */
import { join } from 'node:path';
import { type DecryptedCase, openAttachedFile, openSealedCase } from '#cases/decrypted-case.ts';
import type { SealedCase } from '#cases/sealed-case.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { SEALED_FILE_KINDS, type SealedFileKind } from '#seal/header.ts';
import { SealError } from '#seal/seal-error.ts';
import { toCaseRecordJson } from './case-facts.ts';
import { formatOpenedCase } from './case-text.ts';
import { bundleHelp, bundleOption, withCaseWorkspace } from './case-workspace.ts';
import { createCommand } from './command.ts';
import { deskKeyHelp, deskKeyOption, readDeskKey } from './desk-key.ts';
import { CommandFailure } from './failure.ts';
import { withProgress } from './progress.ts';
import { toSafeFileName } from './safe-name.ts';
import { createPrivateFolder, requireFreePath, savePrivateFile } from './saved-file.ts';

export const openCaseCommand = createCommand({
  usage: 'cases open ID|--bundle FILE --key FILE [--out FOLDER]',
  about: 'Open a case: print the inquiry, the messages and the finding, and save its files.',
  help: [deskKeyHelp, ['--out FOLDER', 'save the files there; without it no file is written'], bundleHelp],
  options: { ...deskKeyOption, ...bundleOption, out: { type: 'string' } },
  operands: 1,
  work: async ({ key: keyFile, bundle, out }, [id]) => {
    const identity = await readDeskKey(keyFile);
    return await withCaseWorkspace({ id, bundle }, async ({ file, now }) => {
      const opened = await openSealedCase(file, identity);
      const saved = out === undefined ? [] : await saveCaseFiles(file, opened, out);
      return {
        text: formatOpenedCase(opened, now(), { total: listCaseFiles(file).length, saved }),
        json: { ...toOpenedCaseJson(opened, now()), saved },
      };
    });
  },
});

function toOpenedCaseJson({ record, inquiry, messages, finding }: DecryptedCase, now: number) {
  return {
    case: toCaseRecordJson(record, now),
    inquiry: 'content' in inquiry ? inquiry.content : null,
    messages: messages.map(({ by, seq, at, said }) => ({
      by,
      seq,
      at: toIsoTimeOrNull(at),
      ...('content' in said ? said.content : { text: said.unreadable, call_windows: [] }),
    })),
    finding:
      finding && ('content' in finding ? finding.content : { markdown: finding.unreadable, files: [] }),
  };
}

const fileLabels: Readonly<Record<SealedFileKind, string>> = {
  'inquiry-file.v1': 'inquiry',
  'finding-file.v1': 'finding',
};

function listCaseFiles({ objects }: SealedCase) {
  return objects.flatMap(({ kind, seq, size }) => {
    const fileKind = SEALED_FILE_KINDS.find((known) => known === kind);
    return fileKind ? [{ kind: fileKind, seq, size }] : [];
  });
}

/** A damaged or forged file is not saved; the other files still are. */
async function saveCaseFiles(file: SealedCase, { key }: DecryptedCase, folder: string): Promise<string[]> {
  await createPrivateFolder(folder);
  const saved: string[] = [];
  const faults: string[] = [];
  for (const { kind, seq, size } of listCaseFiles(file)) {
    const label = `${fileLabels[kind]}-${seq + 1}`;
    try {
      const opened = await openAttachedFile(file, key, kind, seq);
      if (!opened) continue;
      const name = `${label}-${toSafeFileName(opened.name)}`;
      const path = join(folder, name);
      requireFreePath(path);
      await savePrivateFile(path, withProgress(opened.content, name, size));
      saved.push(path);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      faults.push(`${label}: ${error.message}`);
    }
  }
  if (faults.length > 0) throw new CommandFailure(faults.join(' '), EXIT_CODES.failure);
  return saved;
}
