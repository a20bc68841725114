/** The options by which a list of cases is chosen. */
import { OPEN_STATES, WRITABLE_STATES } from '#cases/states.ts';
import { tierNames } from '#payments/tiers.ts';
import { formatNumberInWords } from '#platform/spelled-duration.ts';
import { CASE_STATES, type CaseState } from '#store/column-values.ts';
import type { CaseChoice } from '#store/desk-queue.ts';
import { createUsageFailure } from './command.ts';

export const queueChoiceOptions = {
  state: { type: 'string', multiple: true },
  tier: { type: 'string' },
  late: { type: 'boolean' },
  new: { type: 'boolean' },
  mine: { type: 'boolean' },
  unanswered: { type: 'boolean' },
  nobodys: { type: 'boolean' },
} as const;

export const queueChoiceHelp = [
  [
    '--state STATE',
    `${CASE_STATES.join(', ')},
or all; may be given several times (default: the first ${formatNumberInWords(OPEN_STATES.length)}, and what is held)`,
  ],
  ['--tier TIER', `one of ${tierNames.join(', ')}`],
  ['--late', 'only what is open and past its due time'],
  ['--unanswered', 'only where the buyer wrote last, delivered cases too'],
  ['--nobodys', 'only what nobody has taken'],
  ['--mine', 'only what your key has taken; needs --key'],
  ['--new', 'only what your key has not opened since the buyer last wrote; needs --key'],
] as const;

interface QueueChoiceValues {
  readonly state?: readonly string[] | undefined;
  readonly tier?: string | undefined;
  readonly late?: boolean | undefined;
  readonly new?: boolean | undefined;
  readonly mine?: boolean | undefined;
  readonly unanswered?: boolean | undefined;
  readonly nobodys?: boolean | undefined;
}

/** Without an investigator there is no `--mine`, and nothing is new to anybody. */
export function parseListChoice(
  values: QueueChoiceValues,
  investigator: string | null,
  now: number,
): CaseChoice {
  const { mine, nobodys, late, unanswered } = values;
  if (mine && nobodys) throw createUsageFailure('Give either --mine or --nobodys');
  if ((mine || values.new) && investigator === null)
    throw createUsageFailure(`${mine ? '--mine' : '--new'} needs --key FILE: the file with your private key`);
  const states = parseStates(values.state, unanswered ? WRITABLE_STATES : OPEN_STATES);
  return {
    states: late ? states.filter((state) => OPEN_STATES.includes(state)) : states,
    withHeld: values.state === undefined && !late && !nobodys,
    holder: mine ? investigator : nobodys ? null : undefined,
    unanswered,
    dueBefore: late ? now : undefined,
    tier: parseTier(values.tier),
  };
}

function parseStates(
  names: readonly string[] | undefined,
  usual: readonly CaseState[],
): readonly CaseState[] {
  if (names === undefined) return usual;
  if (names.includes('all')) return CASE_STATES;
  return names.map((name) => {
    const state = CASE_STATES.find((known) => known === name);
    if (state === undefined) throw createUsageFailure(`--state takes ${CASE_STATES.join(', ')} or all`);
    return state;
  });
}

/** In any letters, and with a dash for the space. */
function parseTier(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const wanted = name.toLowerCase().replaceAll('-', ' ');
  const tier = tierNames.find((known) => known.toLowerCase() === wanted);
  if (tier === undefined) throw createUsageFailure(`--tier takes ${tierNames.join(', ')}`);
  return tier;
}
