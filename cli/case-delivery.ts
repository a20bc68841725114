/** The command that delivers a finding with the desk key; a repeated delivery changes nothing. */
import { createHash } from 'node:crypto';
import { type DecryptedCase, openAttachedFile } from '#cases/decrypted-case.ts';
import { requireNextState } from '#cases/states.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { computeTakenBack } from '#seal/case-differences.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { type Finding, toFindingFileSeq, validateFinding } from '#seal/finding.ts';
import { type FindingAttachment, openAttachments, sealAttachment } from './attachment.ts';
import { buildStepReport, toCaseRecordJson } from './case-facts.ts';
import { type CaseWorkspace, withCaseWorkspace } from './case-workspace.ts';
import { createCommand } from './command.ts';
import { askConfirmation } from './confirmation.ts';
import { CommandFailure } from './failure.ts';
import { getIo } from './io.ts';
import { officeKeyHelp, officeKeyOptions, readDeskAccess } from './pinning-key.ts';
import { releaseHelp, releaseOptions, requireNotHeld } from './release-option.ts';
import { terminalSafe } from './terminal-text.ts';
import { readTextFile } from './typed-text.ts';

export const deliverFindingCommand = createCommand({
  usage: 'cases deliver ID --key FILE [--finding FILE.md] [--attach FILE]… [--now] [--yes]',
  about: `Deliver the finding: a text in Markdown, files, or both. On a terminal it shows the question and asks first.
The buyer sees it after DELIVERY_UNDO_MINUTES; until then cases take-back undoes it. The days until the purge count
from that moment. Files are sent unchanged, with their hidden metadata.`,
  help: [
    ...officeKeyHelp,
    ['--finding FILE', 'the text'],
    ['--attach FILE', 'a file; may be given several times, 100 MiB in total'],
    ...releaseHelp,
    ['--yes', 'do not ask for confirmation'],
  ],
  options: {
    ...officeKeyOptions,
    finding: { type: 'string' },
    attach: { type: 'string', multiple: true },
    ...releaseOptions,
    yes: { type: 'boolean' },
  },
  operands: 1,
  work: async ({ finding: textFile, attach = [], now = false, yes = false, ...options }, [id]) => {
    const desk = await readDeskAccess(options);
    const markdown = textFile === undefined ? '' : await readTextFile(textFile);
    await using attached = await openAttachments(attach);
    const finding = requireValidFinding(markdown, attached.files);
    return await withCaseWorkspace(id, desk, async (workspace) => {
      const { opened } = workspace;
      if (await isSameFinding(workspace, opened, finding, attached.files))
        return {
          text: 'This finding was already delivered; nothing was changed.\n',
          json: { case: toCaseRecordJson(opened.record, workspace.now()), repeated: true },
        };
      // Refuse before sealing large files.
      requireNotHeld(opened.record, workspace.now());
      requireNextState(opened.record, 'deliver', 'desk');
      if (!yes && getIo().stdin.isTTY) await confirmRecipient(opened);
      const seq = requireUnusedNumber(opened);
      const envelope = await sealEnvelope(opened.key, { kind: 'finding.v1', seq }, finding);
      const files = attached.files.map((file, index) =>
        sealAttachment(opened.key, toFindingFileSeq(seq, index), file),
      );
      const record = await workspace.deliver(envelope, files, now);
      return buildStepReport(record, workspace.now(), 'Delivered.');
    });
  },
});

/** Two findings with one number could be passed off as each other. */
function requireUnusedNumber(opened: DecryptedCase): number {
  const { finding_seq: told } = opened.record;
  if (computeTakenBack(opened, told) === told) return told;
  throw new CommandFailure(
    'The office wants the number of a finding that was taken back, so nothing was delivered. Tell whoever runs the office.',
    EXIT_CODES.dataError,
  );
}

/** One wrong id among many would give one buyer's finding to another. */
async function confirmRecipient({ inquiry }: DecryptedCase): Promise<void> {
  if ('content' in inquiry) {
    const { alias, question } = inquiry.content;
    getIo().stderr.write(
      `${terminalSafe.line(`${alias || 'Somebody without a name'} asked: ${question}`)}\n`,
    );
  }
  if (!(await askConfirmation('Is this finding for them? Type deliver to continue: ', 'deliver')))
    throw new CommandFailure('Not confirmed, so nothing was delivered.', EXIT_CODES.failure);
}

function requireValidFinding(markdown: string, files: readonly FindingAttachment[]): Finding {
  const facts = files.map(({ name, mime, size }) => ({ name, mime, size, kept_as_evidence: false }));
  const result = validateFinding({ markdown, files: facts });
  if ('finding' in result) return result.finding;
  throw new CommandFailure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT_CODES.failure);
}

/** Compares the contents, because sealing the same content twice gives different bytes. */
async function isSameFinding(
  { file }: CaseWorkspace,
  { key, finding, findingSeq }: DecryptedCase,
  submitted: Finding,
  files: readonly FindingAttachment[],
): Promise<boolean> {
  if (!finding || !('content' in finding)) return false;
  if (JSON.stringify(finding.content) !== JSON.stringify(submitted)) return false;
  for (const [index, attachment] of files.entries()) {
    const seq = toFindingFileSeq(findingSeq, index);
    const delivered = await openAttachedFile(file, key, { kind: 'finding-file.v1', seq });
    if (
      !delivered ||
      (await computeDigest(delivered.content)) !== (await computeDigest(attachment.content()))
    )
      return false;
  }
  return true;
}

async function computeDigest(content: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of content) hash.update(bytes);
  return hash.digest('hex');
}
