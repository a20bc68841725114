/** The command for the call of a case: offers it, books a time for it, and records that it was held. */
import type { DecryptedCase } from '#cases/decrypted-case.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { type BookedCall, formatBookedCall } from '#seal/booked-call.ts';
import { buildCallPlan } from '#seal/call-plan.ts';
import { isUpcoming } from '#seal/call-window.ts';
import { type CaseMessage, validateCaseMessage } from '#seal/message.ts';
import { isTimeZone, isWallTime, toUtcMinute } from '#seal/zoned-time.ts';
import { buildStepReport, toCaseRecordJson } from './case-facts.ts';
import { type CaseWorkspace, sealReply, withCaseWorkspace } from './case-workspace.ts';
import { withCaseSource } from './chosen-source.ts';
import { type CommandReport, createCommand, createUsageFailure } from './command.ts';
import { CommandFailure } from './failure.ts';
import {
  type DeskAccess,
  officeKeyHelp,
  officeKeyOptions,
  readDeskAccess,
  readOptionalAccess,
} from './pinning-key.ts';
import { parseSeenOption, requireSeenCount, seenHelp, seenOption } from './seen-option.ts';
import { messageTextOptions, readMessageText } from './typed-text.ts';

const ACTS = ['offer', 'book', 'hold'] as const;

export const setCallCommand = createCommand({
  usage:
    'cases call ID offer|hold [--key FILE]\n       cases call ID book --at TIME --key FILE [--zone ZONE] [--text TEXT|--file FILE] [--seen N]',
  about: `Offer the call of a case, book a time for it, or record that it was held.
A booking is sealed in a message to the buyer and needs your key; the other two need none.`,
  help: [
    ['--at TIME', 'when the call begins, with its offset: 2026-11-20T15:00+01:00'],
    [
      '--zone ZONE',
      'the zone in which the buyer reads it, such as Europe/Berlin; the one of their times if absent',
    ],
    ['--text TEXT', 'a text that goes with it, or'],
    ['--file FILE', 'a file with that text'],
    ...officeKeyHelp,
    seenHelp,
  ],
  options: {
    at: { type: 'string' },
    zone: { type: 'string' },
    ...messageTextOptions,
    ...officeKeyOptions,
    ...seenOption,
  },
  operands: 2,
  work: async (values, operands) => {
    const act = parseCallAct(operands.at(-1));
    const id = operands.length > 1 ? operands[0] : undefined;
    if (act !== 'book') {
      if (Object.keys(values).some((name) => name !== 'json' && !(name in officeKeyOptions)))
        throw createUsageFailure(`Only book takes options; ${act} takes an ID, --key and --office alone`);
      return await recordCallStep(id, act, await readOptionalAccess(values));
    }
    const at = parseCallTime(values.at);
    const { zone } = values;
    if (zone !== undefined && !isTimeZone(zone))
      throw createUsageFailure('--zone takes a time zone such as Europe/Berlin');
    const seen = parseSeenOption(values);
    const desk = await readDeskAccess(values);
    const hasText = values.text !== undefined || values.file !== undefined;
    const text = hasText ? await readMessageText(values) : '';
    return await withCaseWorkspace(id, desk, async (workspace) => {
      const call = {
        at: requireUpcoming(at, workspace.now()),
        zone: zone ?? findBuyerZone(workspace.opened),
      };
      return await bookCall(workspace, requireBookingMessage(text, call), { call, seen });
    });
  },
});

async function recordCallStep(
  operand: string | undefined,
  act: 'offer' | 'hold',
  access: DeskAccess | null,
): Promise<CommandReport> {
  return await withCaseSource(access, async (source) => {
    const { id } = await source.requireCase(operand);
    const record = await source.act(id, act === 'offer' ? 'offer_call' : 'hold_call');
    return {
      text: `The call is ${record.call}.\n`,
      json: { case: toCaseRecordJson(record, source.now()) },
    };
  });
}

async function bookCall(
  workspace: CaseWorkspace,
  message: CaseMessage,
  { call, seen }: { readonly call: BookedCall; readonly seen: number | undefined },
): Promise<CommandReport> {
  const { opened } = workspace;
  const { record } = opened;
  if (isLastBooking(opened, message))
    return {
      text: 'This time is already booked; nothing was sent.\n',
      json: { case: toCaseRecordJson(record, workspace.now()), repeated: true },
    };
  const booking = { message, act: 'book_call', seen: requireSeenCount(opened, seen) } as const;
  const changed = await workspace.write({ ...(await sealReply(workspace, booking)), callAct: 'book' });
  const { number } = buildCallPlan(opened, false);
  const report = buildStepReport(changed, workspace.now(), `Booked: ${formatBookedCall(call)}.`);
  const notes = [
    number === '' ? 'The buyer has given no number: ask for it.' : '',
    record.purge_at !== null && record.purge_at < Date.parse(call.at)
      ? 'The case is purged before the call: ask the buyer whether to keep it longer.'
      : '',
  ];
  return { ...report, text: [report.text, ...notes.filter(Boolean).map((note) => `${note}\n`)].join('') };
}

/** Detects a command that is run again because its output was lost. */
function isLastBooking({ messages, record }: DecryptedCase, { text, call }: CaseMessage): boolean {
  const last = messages.at(-1);
  if (last?.by !== 'desk' || !('content' in last.said) || record.call !== 'booked') return false;
  const { content } = last.said;
  return content.text === text && content.call?.at === call?.at && content.call?.zone === call?.zone;
}

/** The buyer reads the time in the zone in which they gave theirs. */
function findBuyerZone(opened: DecryptedCase): string {
  const zone = buildCallPlan(opened, false).windows[0]?.zone ?? '';
  return isTimeZone(zone) ? zone : 'UTC';
}

function requireUpcoming(at: number, now: number): string {
  if (at > now && isUpcoming(at, now)) return toUtcMinute(at);
  throw new CommandFailure(
    at > now
      ? 'That is more than a year away, so nothing was booked.'
      : 'That time is past, so nothing was booked.',
    EXIT_CODES.failure,
  );
}

function requireBookingMessage(text: string, call: BookedCall): CaseMessage {
  const result = validateCaseMessage({ text, call }, { by: 'desk' });
  if ('message' in result) return result.message;
  throw new CommandFailure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT_CODES.failure);
}

/** RFC 3339 to the minute; the offset is required, because nobody can tell which zone was meant. */
function parseCallTime(text: string | undefined): number {
  const [, wallTime = '', offset = ''] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(Z|[+-]\d{2}:\d{2})$/.exec(text ?? '') ?? [];
  const time = Date.parse(`${wallTime}:00${offset}`);
  if (isWallTime(wallTime) && !Number.isNaN(time)) return time;
  throw createUsageFailure('--at takes a time with its offset, such as 2026-11-20T15:00+01:00');
}

function parseCallAct(name: string | undefined): (typeof ACTS)[number] {
  const act = ACTS.find((known) => known === name);
  if (act === undefined) throw createUsageFailure(`The action is one of ${ACTS.join(', ')}`);
  return act;
}
