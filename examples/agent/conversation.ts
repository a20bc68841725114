/** Follows a case: prints what is new, answers the desk, shows the finding and saves its files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkedMessage } from '#seal/case/case-content.ts';
import { type CaseMessage, validateCaseMessage } from '#seal/case/message.ts';
import type { OpenedPart } from '#seal/case/opened-part.ts';
import { sealCaseMessage } from '#seal/case/sealed-message.ts';
import { replaceUnseen } from '#seal/core/unseen-characters.ts';
import { toArchiveName } from '#seal/files/archive-name.ts';
import { toBase64url } from './base64url.ts';
import { AgentFailure, describeFieldError, printJson, printText } from './failure.ts';
import { listOpenedFindingFiles, type OpenedCase, openCase, openCaseFile } from './opened-case.ts';
import type { ConnectedAgent } from './run.ts';

const POLL_SECONDS = 60;

/** Until the desk asks or the case has ended; prints each message once. */
export async function followCase(agent: ConnectedAgent, printed = new Set<string>()): Promise<OpenedCase> {
  for (;;) {
    const opened = await openCase(agent);
    for (const message of opened.content.messages) {
      const place = `${message.by} ${message.seq}`;
      if (!printed.has(place)) printText(formatMessage(message));
      printed.add(place);
    }
    switch (opened.state) {
      case 'awaiting_client':
      case 'delivered':
      case 'declined':
      case 'withdrawn':
        return opened;
      case 'received':
      case 'in_progress':
        break;
    }
    await agent.wait(POLL_SECONDS);
  }
}

function formatMessage({ by, said }: LinkedMessage<string>): string {
  const message = readPart(said);
  return `${by === 'desk' ? `The desk ${formatAct(message)}` : 'We wrote'}: ${message.text}`;
}

/** As the desk sealed it. */
function formatAct({ act, keep_days: days }: CaseMessage): string {
  if (act === 'ask') return 'asks';
  if (act === 'decline') return 'declines';
  return act === 'retain' ? `keeps the case for ${days} days` : 'wrote';
}

/** What did not open must not be taken for something that was said. */
function readPart<Content>(part: OpenedPart<Content>): Content {
  if ('content' in part) return part.content;
  throw new AgentFailure(`Something in the case does not open: ${part.unreadable}`);
}

export async function sendAnswer(agent: ConnectedAgent, text: string): Promise<void> {
  const checked = validateCaseMessage({ text }, { now: Date.now() });
  if ('errors' in checked)
    throw new AgentFailure(['The answer is refused:', ...checked.errors.map(describeFieldError)].join('\n'));
  const { id, key, content } = await openCase(agent);
  const message: CaseMessage = checked.message;
  const { seq, sealed } = await sealCaseMessage(key, content.messages, { by: 'buyer', message });
  await agent.callService('POST', `/cases/${id}/messages`, { body: { seq, sealed: toBase64url(sealed) } });
  printText('The answer is sent.');
}

export function printOutcome({ state, content }: OpenedCase): void {
  if (content.finding) printText(`The finding:\n\n${readPart(content.finding).markdown}`);
  else if (state === 'awaiting_client')
    printText('The desk waits for an answer: office-agent answer --text TEXT');
  else printText(`The case is ${state}.`);
}

export function printOpenedCase(opened: OpenedCase, isJson: boolean): void {
  if (isJson) {
    printJson(describeCase(opened));
    return;
  }
  for (const message of opened.content.messages) printText(formatMessage(message));
  printOutcome(opened);
}

/** For programs; the same that people are shown. */
function describeCase({ state, content }: OpenedCase) {
  const messages = content.messages.map(({ by, seq, at, said }) => ({ by, seq, at, ...readPart(said) }));
  const finding = content.finding && readPart(content.finding);
  return { state, inquiry: readPart(content.inquiry), messages, finding };
}

export async function saveFindingFiles(
  agent: ConnectedAgent,
  opened: OpenedCase,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [index, file] of listOpenedFindingFiles(opened).entries()) {
    const { name, bytes } = await openCaseFile(agent, opened, file);
    // Numbered, so that no two have the same name; the desk chose the names.
    const path = join(folder, `${index + 1}-${toArchiveName(name)}`);
    saveNewFile(path, bytes);
    process.stderr.write(replaceUnseen(`Saved ${path}\n`));
  }
}

/** Writes over nothing, and follows no link that has this name. */
export function saveNewFile(path: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new AgentFailure(`${path} exists already, so it was not saved. Name another folder with --out.`);
  }
}
