/** Handlers for the files of a case: saved in the chosen folder, or passed to the browser as a download. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import type { WorkRequest } from '#desk/model/desk-work.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { CASE_OBJECT_KINDS, SEALED_FILE_KINDS } from '#seal/core/header.ts';
import { formatPartName } from '#seal/files/archive-name.ts';
import { toSavedName } from '#seal/files/saved-name.ts';
import { nameCase } from '#wire/case-name.ts';
import { answerRefused, readCaseId } from './case-handlers.ts';

const MAX_TRIES = 100;

export async function answerFile(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, params } = request;
  const id = readCaseId(request);
  const kind = CASE_OBJECT_KINDS.find((known) => known === params['kind']);
  const seq = Number(params['seq']);
  if (kind === undefined || !Number.isSafeInteger(seq) || seq < 0)
    throw new OfficeFault('case_unknown', 'There is no such file.');
  try {
    const file = await readFileOrPart(desk, id, { kind, seq });
    const markSaved = () => desk.savedFiles.set(`${id}/${kind}/${seq}`, desk.watch.readClock());
    const name = toSavedName(`${nameCase(id).replaceAll(' ', '-')}-${file.name}`);
    if (desk.outFolder === null) {
      markSaved();
      return { download: { name, chunks: file.chunks } };
    }
    const path = await saveInFolder(desk.outFolder, name, file.chunks);
    markSaved();
    desk.say({ strong: 'Saved.', text: `${path}. Open it on a disposable machine.` });
    return { redirect: `/cases/${id}#files` };
  } catch (error) {
    if (!(error instanceof OfficeFault)) throw error;
    return await answerRefused(request, 'Not saved', error.message);
  }
}

/** A part that cannot be shown is saved as a text file. */
async function readFileOrPart(
  { office }: WorkRequest['desk'],
  id: string,
  { kind, seq }: SealedPlace,
): Promise<{ readonly name: string; readonly chunks: readonly Uint8Array[] }> {
  const fileKind = SEALED_FILE_KINDS.find((known) => known === kind);
  if (fileKind === undefined)
    return {
      name: `${formatPartName({ kind, seq })}.txt`,
      chunks: [await office.readPartBytes(id, { kind, seq })],
    };
  const file = await office.streamFile(id, { kind: fileKind, seq });
  // All of it is read first, because only its end shows whether it is genuine.
  return { name: file.name, chunks: await Array.fromAsync(file.content) };
}

/** Returns the path; adds a number if the name is taken. */
async function saveInFolder(folder: string, name: string, chunks: readonly Uint8Array[]): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : addNumber(name, number));
    try {
      await writeFile(path, chunks, { flag: 'wx', mode: 0o600 });
      return path;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
      // If the disk was full, the partial file could be mistaken for a whole one.
      if (!isTaken) await rm(path, { force: true });
      if (!isTaken || number >= MAX_TRIES) throw error;
    }
  }
}

function addNumber(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}-${number}${name.slice(dot)}` : `${name}-${number}`;
}
