/** Pages through stored objects, newest first, with the provider's cursors. */
import type { Stripe } from 'stripe';
import { invalidRequest, noSuch } from './errors.ts';
import type { Raw } from './form.ts';
import { integer, object, type Reader, text } from './parameters.ts';
import type { Filter, Kind, Kinds, State } from './state.ts';

interface Range {
  readonly from: number;
  readonly to: number;
}

const EVER: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };

const bounds = object({}, { gt: integer(), gte: integer(), lt: integer(), lte: integer() });

const createdRange: Reader<Range> = (raw: Raw, param) => {
  if (typeof raw === 'string') {
    const second = integer()(raw, param);
    return { from: second, to: second };
  }
  const { gt = -1, gte = EVER.from, lt = Infinity, lte = EVER.to } = bounds(raw, param);
  return { from: Math.max(gt + 1, gte), to: Math.min(lt - 1, lte) };
};

/** The parameters that every list takes. */
export const listParameters = {
  limit: integer({ min: 1, max: 100 }),
  starting_after: text(),
  ending_before: text(),
  created: createdRange,
};

export interface PageParameters {
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
  readonly created?: Range | undefined;
}

export function listObjects<K extends Kind>(
  state: State,
  kind: K,
  url: string,
  query: { page: PageParameters; equal?: Filter['equal']; types?: Filter['types'] },
): Stripe.ApiList<Kinds[K]> {
  const { limit = 10, starting_after, ending_before, created = EVER } = query.page;
  if (starting_after !== undefined && ending_before !== undefined) {
    throw invalidRequest('Give either starting_after or ending_before.', { param: 'ending_before' });
  }
  const oldestFirst = ending_before !== undefined;
  const found = state.list(
    kind,
    { equal: query.equal ?? {}, types: query.types, created },
    {
      below: starting_after === undefined ? EVER.to : placeOf(state, kind, starting_after, 'starting_after'),
      above: ending_before === undefined ? 0 : placeOf(state, kind, ending_before, 'ending_before'),
      limit: limit + 1,
      oldestFirst,
    },
  );
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data: oldestFirst ? data.toReversed() : data,
    has_more: found.length > limit,
    url,
  };
}

function placeOf(state: State, kind: Kind, id: string, param: string): number {
  const place = state.place(kind, id);
  if (place === undefined) throw noSuch(kind, id, param, 400);
  return place;
}
