/** The command that delivers a finding with the desk key; a repeated delivery changes nothing. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { refuseKeyFile } from '#desk/keys/key-slip.ts';
import { MAX_KEY_BYTES } from '#desk/keys/key-text.ts';
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import { type DeskAttachment, requireValidFinding } from '#desk/office/finding-sender.ts';
import { type Finding, toFindingFileSeq } from '#seal/case/finding.ts';
import { createCommand } from '../command.ts';
import { type OfficeLink, officeOptions, readOfficeAccess, withOfficeLink } from '../office-link.ts';
import { openInputFile, readInputFileSize, streamInputFile } from '../terminal/files.ts';
import { getIo } from '../terminal/io.ts';
import { withProgress } from '../terminal/progress.ts';
import { terminalSafe } from '../terminal/table.ts';
import { readTextFile, requireConfirmation } from '../terminal/typed-text.ts';
import { buildRepeatReport, buildStepReport, requireNotOnHold } from './case-facts.ts';
import { openNamedCase, requireNothingLost, withAssigneeNamed } from './office-cases.ts';

export const deliverFindingCommand = createCommand({
  usage: 'cases deliver ID [--finding FILE.md] [--attach FILE]… [--now] [--yes]',
  about: `Deliver the finding: a text in Markdown, files, or both. On a terminal it shows the question and asks for confirmation.
The buyer can see it after DELIVERY_UNDO_MINUTES, as configured at the office; until then cases take-back undoes it. The days until
the purge are counted from then. Files are sent unchanged, with their hidden metadata.`,
  options: [
    ...officeOptions,
    ['--finding FILE', 'the text'],
    ['--attach FILE', 'a file; may be repeated, 100 MiB in total', 'repeated'],
    ['--now', 'show it to the buyer at once; it cannot be taken back'],
    ['--yes', 'do not ask for confirmation'],
  ],
  operands: 1,
  work: async (
    { finding: textFile, attach = [], now: atOnce = false, yes = false, ...options },
    [operand],
  ) => {
    const access = await readOfficeAccess(options);
    const markdown = textFile === undefined ? '' : await readTextFile(textFile);
    await using stack = new AsyncDisposableStack();
    // All are opened before anything is sealed; each is read while it is sealed.
    const files = await Array.fromAsync(attach, async (path) =>
      toAttachment(path, stack.use(await openInputFile(path))),
    );
    const finding = requireValidFinding({ markdown, files });
    return await withOfficeLink(access, async (link) => {
      const opened = await openNamedCase(link, operand);
      const { facts, seen, now } = opened;
      const { id } = facts;
      if (await isSameFinding(link, opened, finding, files))
        return buildRepeatReport(facts, 'This finding was already delivered; nothing was changed.');
      requireNotOnHold(facts);
      requireNothingLost(opened, link.office.key);
      if (!yes && getIo().stdin.isTTY) await confirmRecipient(opened);
      const body = { markdown, files: files.map(showProgress), seen, atOnce };
      const send = () => link.office.deliver(id, body);
      return buildStepReport(await withAssigneeNamed(link, id, send), now, 'Delivered.');
    });
  },
});

function showProgress(file: DeskAttachment): DeskAttachment {
  return { ...file, content: () => withProgress(file.content(), file.name, file.size) };
}

/** Shows whose case it is and asks: a mistyped id would deliver the finding to the wrong buyer. */
async function confirmRecipient({ content: { inquiry } }: DeskOpenedCase): Promise<void> {
  if ('content' in inquiry) {
    const { alias, question } = inquiry.content;
    getIo().stderr.write(`${terminalSafe.line(`${alias || 'A buyer without a name'} asked: ${question}`)}\n`);
  }
  const question = 'Is this finding for them? Type deliver to continue: ';
  await requireConfirmation(question, 'deliver', 'nothing was delivered');
}

/** Compares the contents, because sealing the same content twice gives different bytes. */
async function isSameFinding(
  link: OfficeLink,
  { facts, content: { finding, findingSeq } }: DeskOpenedCase,
  submitted: Finding,
  files: readonly DeskAttachment[],
): Promise<boolean> {
  if (!finding || !('content' in finding)) return false;
  if (JSON.stringify(finding.content) !== JSON.stringify(submitted)) return false;
  for (const [index, file] of files.entries()) {
    const seq = toFindingFileSeq(findingSeq, index);
    const delivered = await link.office.streamFile(facts.id, { kind: 'finding-file.v1', seq });
    if ((await computeDigest(delivered.content)) !== (await computeDigest(file.content()))) return false;
  }
  return true;
}

async function computeDigest(content: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of content) hash.update(bytes);
  return hash.digest('hex');
}

async function toAttachment(path: string, file: FileHandle): Promise<DeskAttachment> {
  const size = await readInputFileSize(path, file);
  const name = basename(path);
  const head = await Array.fromAsync(streamInputFile(path, file, Math.min(size, MAX_KEY_BYTES)));
  refuseKeyFile(Buffer.concat(head), { name, size });
  return { name, size, content: () => streamInputFile(path, file, size) };
}
