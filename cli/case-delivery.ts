/** The command that delivers a finding with the desk key; a repeated delivery changes nothing. */
import { createHash } from 'node:crypto';
import { type DecryptedCase, openAttachedFile } from '#cases/decrypted-case.ts';
import { requireNextState } from '#cases/states.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { type Finding, validateFinding } from '#seal/finding.ts';
import { type FindingAttachment, openAttachments, sealAttachment } from './attachment.ts';
import { toCaseRecordJson } from './case-facts.ts';
import {
  bundleOption,
  type CaseWorkspace,
  parseResultOptions,
  resultBundleHelp,
  withCaseWorkspace,
} from './case-workspace.ts';
import { createCommand } from './command.ts';
import { CommandFailure } from './failure.ts';
import { pinningKeyHelp, pinningKeyOptions, readPinningKey } from './pin-file.ts';
import { readTextFile } from './typed-text.ts';

export const deliverFindingCommand = createCommand({
  usage: 'cases deliver ID|--bundle FILE --key FILE [--finding FILE.md] [--attach FILE]…',
  about: `Deliver the finding: a text in Markdown, files, or both.
The days until the purge count from the delivery. Files are sent unchanged, with their hidden metadata.`,
  help: [
    ...pinningKeyHelp,
    ['--finding FILE', 'the text'],
    ['--attach FILE', 'a file; may be given several times, 100 MiB in total'],
    ...resultBundleHelp,
  ],
  options: {
    ...pinningKeyOptions,
    ...bundleOption,
    out: { type: 'string' },
    finding: { type: 'string' },
    attach: { type: 'string', multiple: true },
  },
  operands: 1,
  work: async ({ finding: textFile, attach = [], ...options }, [id]) => {
    const location = { id, ...parseResultOptions(options) };
    const desk = await readPinningKey(options);
    const markdown = textFile === undefined ? '' : await readTextFile(textFile);
    await using attached = await openAttachments(attach);
    const finding = requireValidFinding(markdown, attached.files);
    return await withCaseWorkspace(location, desk, async (workspace) => {
      const { opened } = workspace;
      if (await isSameFinding(workspace, opened, finding, attached.files))
        return {
          text: 'This finding was already delivered; nothing was changed.\n',
          json: { case: toCaseRecordJson(opened.record, workspace.now()), repeated: true },
        };
      // Refuse before sealing large files.
      requireNextState(opened.record, 'deliver', 'desk');
      const envelope = await sealEnvelope(opened.key, { kind: 'finding.v1', seq: 0 }, finding);
      const files = attached.files.map((file, seq) => sealAttachment(opened.key, seq, file));
      const record = await workspace.deliver(envelope, files);
      return workspace.report(record, 'Delivered.');
    });
  },
});

function requireValidFinding(markdown: string, files: readonly FindingAttachment[]): Finding {
  const facts = files.map(({ name, mime, size }) => ({ name, mime, size, kept_as_evidence: false }));
  const result = validateFinding({ markdown, files: facts });
  if ('finding' in result) return result.finding;
  throw new CommandFailure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT_CODES.failure);
}

/** Compares the contents, because sealing the same content twice gives different bytes. */
async function isSameFinding(
  { file }: CaseWorkspace,
  { key, finding }: DecryptedCase,
  submitted: Finding,
  files: readonly FindingAttachment[],
): Promise<boolean> {
  if (!finding || !('content' in finding)) return false;
  if (JSON.stringify(finding.content) !== JSON.stringify(submitted)) return false;
  for (const [seq, attachment] of files.entries()) {
    const delivered = await openAttachedFile(file, key, 'finding-file.v1', seq);
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
