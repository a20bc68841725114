/** Delivers a finding with the desk key: a text, files, or both; the same one twice is delivered once. */
import { createHash } from 'node:crypto';
import { type OpenedCase, openCaseFile, openFileOf } from '#cases/decrypted-case.ts';
import { stateAfter } from '#cases/states.ts';
import { EXIT } from '#platform/errors.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { type Finding, validateFinding } from '#seal/finding.ts';
import { type Attachment, openAttachments, sealedAttachment } from './attachment.ts';
import { caseJson } from './case-facts.ts';
import { atCase, bundleOption, resultHelp, resultOf, type Workplace } from './case-workspace.ts';
import { command } from './command.ts';
import { keyHelp, keyOption, readDeskKey } from './desk-key.ts';
import { Failure } from './failure.ts';
import { readText } from './typed-text.ts';

export const deliverFinding = command({
  usage: 'cases deliver ID|--bundle FILE --key FILE [--finding FILE.md] [--attach FILE]…',
  about: `Deliver the finding: a text in Markdown, files, or both.
From then on the days until the purge count. Files go as they are, with whatever is hidden in them.`,
  help: [
    keyHelp,
    ['--finding FILE', 'the text'],
    ['--attach FILE', 'a file; may be given several times, 100 MiB in all'],
    ...resultHelp,
  ],
  options: {
    ...keyOption,
    ...bundleOption,
    out: { type: 'string' },
    finding: { type: 'string' },
    attach: { type: 'string', multiple: true },
  },
  operands: 1,
  work: async ({ key: keyFile, finding: textFile, attach = [], ...where }, [id]) => {
    const place = { id, ...resultOf(where) };
    const identity = await readDeskKey(keyFile);
    const markdown = textFile === undefined ? '' : await readText(textFile);
    await using attached = await openAttachments(attach);
    const finding = checked(markdown, attached.files);
    return await atCase(place, async (workplace) => {
      const opened = await openCaseFile(workplace.file, identity);
      if (opened.finding && (await isSame(workplace, opened, finding, attached.files)))
        return {
          text: 'This finding was delivered already; nothing was changed.\n',
          json: { case: caseJson(opened.record, workplace.now()), repeated: true },
        };
      // Before anything large is sealed.
      stateAfter(opened.record, 'deliver', 'desk');
      const envelope = await sealEnvelope(opened.key, { kind: 'finding.v1', seq: 0 }, finding);
      const files = attached.files.map((file, seq) => sealedAttachment(opened.key, seq, file));
      const moved = await workplace.deliver(envelope, files);
      return workplace.report(moved, 'Delivered.');
    });
  },
});

function checked(markdown: string, files: readonly Attachment[]): Finding {
  const facts = files.map(({ name, mime, size }) => ({ name, mime, size, kept_as_evidence: false }));
  const result = validateFinding({ markdown, files: facts });
  if ('finding' in result) return result.finding;
  throw new Failure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT.failure);
}

/** What is sealed differs each time, so what is inside is compared. */
async function isSame(
  { file }: Workplace,
  { key, finding }: OpenedCase,
  wanted: Finding,
  files: readonly Attachment[],
): Promise<boolean> {
  if (JSON.stringify(finding) !== JSON.stringify(wanted)) return false;
  for (const [seq, attachment] of files.entries()) {
    const delivered = await openFileOf(file, key, 'finding-file.v1', seq);
    if (!delivered || (await digest(delivered.content)) !== (await digest(attachment.content())))
      return false;
  }
  return true;
}

async function digest(content: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of content) hash.update(bytes);
  return hash.digest('hex');
}
