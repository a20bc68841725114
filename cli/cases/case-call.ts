/** The command for the call of a case: offers it, books a time for it, and records that it took place. */
import { pickBuyerZone } from '#desk/model/call-times.ts';
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import { requireValidMessage } from '#desk/office/case-writer.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { formatBookedCall } from '#seal/case/booked-call.ts';
import { buildCallPlan } from '#seal/case/call-plan.ts';
import { isUpcoming } from '#seal/case/call-window.ts';
import { isTimeZone, isWallTime, toUtcMinute } from '#seal/case/zoned-time.ts';
import { type CommandReport, createCommand, createUsageFailure } from '../command.ts';
import {
  type OfficeLink,
  officeOptions,
  readOfficeAccess,
  withOffice,
  withOfficeLink,
} from '../office-link.ts';
import { readMessageText } from '../terminal/typed-text.ts';
import { buildRepeatReport, buildStepReport, toCaseJson } from './case-facts.ts';
import {
  applyAct,
  findLastOwnMessage,
  openNamedCase,
  parseSeenOption,
  requireCase,
  seenOption,
  sendReply,
} from './office-cases.ts';

const ACTS = ['offer', 'book', 'hold'] as const;

export const setCallCommand = createCommand({
  usage:
    'cases call ID offer|hold\n       cases call ID book --at TIME [--zone ZONE] [--text TEXT|--file FILE] [--seen N]',
  about: `Offer the call of a case, book a time for it, or record that it took place.
A booking is sent to the buyer in a sealed message.`,
  options: [
    ['--at TIME', 'start of the call with its UTC offset, such as 2026-11-20T15:00+01:00'],
    [
      '--zone ZONE',
      'the time zone shown to the buyer, such as Europe/Berlin (default: that of the times the buyer proposed)',
    ],
    ['--text TEXT', 'a text to send with the booking, or'],
    ['--file FILE', 'a file with that text'],
    ...officeOptions,
    seenOption,
  ],
  operands: 2,
  work: async (values, operands) => {
    const act = parseCallAct(operands.at(-1));
    const id = operands.length > 1 ? operands[0] : undefined;
    if (act !== 'book') {
      const { at, zone, text, file, seen } = values;
      if ([at, zone, text, file, seen].some((value) => value !== undefined))
        throw createUsageFailure(
          `Only book takes these options; ${act} takes only ID, --key and the options for the office`,
        );
      return await withOffice(values, (link) => recordCallStep(link, id, act));
    }
    const at = parseCallTime(values.at);
    const { zone } = values;
    if (zone !== undefined && !isTimeZone(zone))
      throw createUsageFailure('--zone takes a time zone such as Europe/Berlin');
    const seen = parseSeenOption(values);
    const access = await readOfficeAccess(values);
    const hasText = values.text !== undefined || values.file !== undefined;
    const text = hasText ? await readMessageText(values) : '';
    return await withOfficeLink(access, async (link) => {
      const opened = await openNamedCase(link, id);
      requireUpcoming(at, opened.now);
      return await bookCall(link, opened, { at, zone, text, seen });
    });
  },
});

async function recordCallStep(
  link: OfficeLink,
  operand: string | undefined,
  act: 'offer' | 'hold',
): Promise<CommandReport> {
  const { facts } = await requireCase(link, operand);
  const changed = await applyAct(link, facts.id, act === 'offer' ? 'offer_call' : 'hold_call');
  const text = changed.call === 'held' ? 'The call took place.\n' : `The call is ${changed.call}.\n`;
  return { text, json: { case: toCaseJson(changed) } };
}

interface Booking {
  readonly at: number;
  /** By default that of the times the buyer proposed. */
  readonly zone: string | undefined;
  readonly text: string;
  readonly seen: number | undefined;
}

async function bookCall(
  link: OfficeLink,
  opened: DeskOpenedCase,
  { at, zone: namedZone, text, seen }: Booking,
): Promise<CommandReport> {
  const { facts, content, now } = opened;
  const { number, windows } = buildCallPlan(content, false);
  const zone = namedZone ?? pickBuyerZone(windows);
  const reply = { act: 'book_call', at, zone, text } as const;
  const { text: checked, call } = requireValidMessage(reply);
  const last = findLastOwnMessage(opened);
  const isSameCall = last?.call?.at === call?.at && last?.call?.zone === call?.zone;
  if (facts.call === 'booked' && last?.text === checked && isSameCall)
    return buildRepeatReport(facts, 'This call is already booked for that time; nothing was sent.');
  const changed = await sendReply(link, opened, reply, seen);
  const booked = formatBookedCall({ at: toUtcMinute(at), zone });
  const report = buildStepReport(changed, now, `Booked: ${booked}.`);
  const notes = [
    number === '' ? 'The buyer has not provided a phone number: ask for one.' : '',
    facts.purge_at !== null && Date.parse(facts.purge_at) < at
      ? 'The case will be purged before the call: ask the buyer whether to keep it longer.'
      : '',
  ];
  return { ...report, text: [report.text, ...notes.filter(Boolean).map((note) => `${note}\n`)].join('') };
}

function requireUpcoming(at: number, now: number): void {
  if (at > now && isUpcoming(at, now)) return;
  throw new ProgramError(
    at > now
      ? 'That is more than a year away, so nothing was booked.'
      : 'That time has passed, so nothing was booked.',
  );
}

/** RFC 3339 to the minute; the offset is required, because a time without one may be in any zone. */
function parseCallTime(text: string | undefined): number {
  const [, wallTime = '', offset = ''] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(Z|[+-]\d{2}:\d{2})$/.exec(text ?? '') ?? [];
  const time = Date.parse(`${wallTime}:00${offset}`);
  if (isWallTime(wallTime) && !Number.isNaN(time)) return time;
  throw createUsageFailure('--at takes a time with its UTC offset, such as 2026-11-20T15:00+01:00');
}

function parseCallAct(name: string | undefined): (typeof ACTS)[number] {
  const act = ACTS.find((known) => known === name);
  if (act === undefined) throw createUsageFailure(`The action must be one of ${ACTS.join(', ')}`);
  return act;
}
