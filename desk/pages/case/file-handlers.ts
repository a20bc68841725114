/** Answers for the files of a case: saved in the chosen folder, or handed to the browser as a download. */
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import { readWholeFile, saveInFolder } from '#desk/model/saved-files.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { CASE_OBJECT_KINDS, SEALED_FILE_KINDS } from '#seal/core/header.ts';
import { formatPartName } from '#seal/files/archive-name.ts';
import { toSavedName } from '#seal/files/saved-name.ts';
import { nameCase } from '#wire/case-name.ts';
import { answerCasePage, type CaseRequest, readCaseId } from './case-handlers.ts';

export async function answerFile(request: CaseRequest): Promise<DeskAnswer> {
  const { desk, params } = request;
  const id = readCaseId(request);
  const kind = CASE_OBJECT_KINDS.find((known) => known === params['kind']);
  const seq = Number(params['seq']);
  if (kind === undefined || !Number.isSafeInteger(seq) || seq < 0)
    throw new OfficeFault('case_unknown', 'There is no such file.');
  try {
    const file = await readFileOrPart(desk, id, { kind, seq });
    desk.savedFiles.set(`${id}/${kind}/${seq}`, desk.watch.readClock());
    const name = toSavedName(`${nameCase(id).replaceAll(' ', '-')}-${file.name}`);
    if (desk.outFolder === null) return { download: { name, bytes: toIterable(file.chunks) } };
    const path = await saveInFolder(desk.outFolder, name, file.chunks);
    desk.say({ strong: 'Saved.', text: `${path}. Open it in a disposable machine.` });
    return { redirect: `/cases/${id}#files` };
  } catch (error) {
    if (!(error instanceof OfficeFault)) throw error;
    return await answerCasePage(request, { refusal: { why: 'fault', text: error.message } });
  }
}

/** A part that is not shown is text if it is anything. */
async function readFileOrPart(
  { office }: CaseRequest['desk'],
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
  return { name: file.name, chunks: await readWholeFile(file) };
}

async function* toIterable(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
