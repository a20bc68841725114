/** Answers for the files of a case: saved in the chosen folder, or handed to the browser as a download. */
import type { DeskAnswer } from '#desk-program/loopback/page-route.ts';
import { readWholeFile, saveInFolder } from '#desk-program/model/saved-files.ts';
import { OfficeFault } from '#desk-program/office/office.ts';
import { toArchiveName } from '#seal/archive-name.ts';
import { SEALED_FILE_KINDS } from '#seal/header.ts';
import { nameCase } from '#wire/case-name.ts';
import { answerCasePage, type CaseRequest, readCaseId } from './case-handlers.ts';

export async function answerFile(request: CaseRequest): Promise<DeskAnswer> {
  const { desk, params } = request;
  const id = readCaseId(request);
  const kind = SEALED_FILE_KINDS.find((known) => known === params['kind']);
  const seq = Number(params['seq']);
  if (kind === undefined || !Number.isSafeInteger(seq) || seq < 0)
    throw new OfficeFault('case_unknown', 'There is no such file.');
  try {
    const file = await desk.office.streamFile(id, { kind, seq });
    const chunks = await readWholeFile(file);
    desk.savedFiles.set(`${id}/${kind}/${seq}`, desk.watch.readClock());
    const name = toArchiveName(`${nameCase(id).replaceAll(' ', '-')}-${file.name}`);
    if (desk.outFolder === null) return { download: { name, bytes: toIterable(chunks) } };
    const path = await saveInFolder(desk.outFolder, name, chunks);
    desk.say({ strong: 'Saved.', text: `${path}. Open it in a disposable machine.` });
    return { redirect: `/cases/${id}#files` };
  } catch (error) {
    if (!(error instanceof OfficeFault)) throw error;
    return await answerCasePage(request, { refusal: { why: 'fault', text: error.text } });
  }
}

async function* toIterable(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
