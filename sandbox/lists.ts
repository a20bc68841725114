/** Lists stored objects page by page, newest first, with the provider's cursors. */
import type { Stripe } from 'stripe';
import { createInvalidRequestError, createMissingObjectError } from './errors.ts';
import type { RawParameter } from './form.ts';
import {
  createIntegerParser,
  createObjectParser,
  createTextParser,
  type ParameterParser,
} from './parameters.ts';
import type { SandboxState, StripeObjectByKind, StripeObjectFilter, StripeObjectKind } from './state.ts';

interface TimeRange {
  readonly from: number;
  readonly to: number;
}

const ANY_TIME: TimeRange = { from: 0, to: Number.MAX_SAFE_INTEGER };

const parseBounds = createObjectParser(
  {},
  {
    gt: createIntegerParser(),
    gte: createIntegerParser(),
    lt: createIntegerParser(),
    lte: createIntegerParser(),
  },
);

const parseCreatedRange: ParameterParser<TimeRange> = (raw: RawParameter, param) => {
  if (typeof raw === 'string') {
    const second = createIntegerParser()(raw, param);
    return { from: second, to: second };
  }
  const { gt = -1, gte = ANY_TIME.from, lt = Infinity, lte = ANY_TIME.to } = parseBounds(raw, param);
  return { from: Math.max(gt + 1, gte), to: Math.min(lt - 1, lte) };
};

/** The parameters that every list accepts. */
export const paginationParsers = {
  limit: createIntegerParser({ min: 1, max: 100 }),
  starting_after: createTextParser(),
  ending_before: createTextParser(),
  created: parseCreatedRange,
};

export interface PaginationParameters {
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
  readonly created?: TimeRange | undefined;
}

export function listStripeObjects<K extends StripeObjectKind>(
  state: SandboxState,
  kind: K,
  url: string,
  query: {
    page: PaginationParameters;
    equal?: StripeObjectFilter['equal'];
    types?: StripeObjectFilter['types'];
  },
): Stripe.ApiList<StripeObjectByKind[K]> {
  const { limit = 10, starting_after, ending_before, created = ANY_TIME } = query.page;
  if (starting_after !== undefined && ending_before !== undefined) {
    throw createInvalidRequestError('Give either starting_after or ending_before.', {
      param: 'ending_before',
    });
  }
  const oldestFirst = ending_before !== undefined;
  const objects = state.listObjects(
    kind,
    { equal: query.equal ?? {}, types: query.types, created },
    {
      below:
        starting_after === undefined
          ? ANY_TIME.to
          : requireSequence(state, kind, starting_after, 'starting_after'),
      above: ending_before === undefined ? 0 : requireSequence(state, kind, ending_before, 'ending_before'),
      limit: limit + 1,
      oldestFirst,
    },
  );
  const data = objects.slice(0, limit);
  return {
    object: 'list',
    data: oldestFirst ? data.toReversed() : data,
    has_more: objects.length > limit,
    url,
  };
}

function requireSequence(state: SandboxState, kind: StripeObjectKind, id: string, param: string): number {
  const sequence = state.findSequence(kind, id);
  if (sequence === undefined) throw createMissingObjectError(kind, id, param, 400);
  return sequence;
}
