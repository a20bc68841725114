/** What waits at the office beside cases: refunds, orders and agents, and how a list is walked page by page. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { openRefundOrNull, type Refund } from '#seal/case/refund.ts';
import {
  type DeskAgentDecision,
  DeskAgentSchema,
  type DeskAgents,
  DeskAgentsSchema,
  type DeskOrders,
  DeskOrdersSchema,
  type DeskRefunds,
  DeskRefundsSchema,
} from '#wire/desk-lists.ts';
import { OfficeFault } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';
import type { OfficeSigner } from './office-session.ts';

export type DeskOrder = DeskOrders['orders'][number];

export type DeskAgent = DeskAgents['agents'][number];

export interface AgentList {
  /** The oldest first. */
  readonly agents: readonly DeskAgent[];
  /** Whether there are more than a desk lists. */
  readonly hasMore: boolean;
}

export interface OwedRefund {
  readonly id: string;
  /** Null if it was not sealed to this key: a colleague can open it. */
  readonly refund: Refund | null;
  /** The entry was restored from a backup, so the refund may already have been made. */
  readonly isRestored: boolean;
}

const KIB = 1024;
/** Room for fifty of the largest refunds. */
const MAX_REFUNDS_BYTES = 32 * KIB * KIB;
/** The first is for a person to read; the second is for re-sealing, which must cover all refunds. */
const maxRefundPages = { '/refunds': 20, '/resealing/refunds': 1_000 } as const;
/** After a restore every paid and unused order is listed: a few thousand. */
const MAX_ORDERS_BYTES = 4 * KIB * KIB;
/** Fifty thousand orders. */
const MAX_ORDER_PAGES = 1_000;
/** Room for fifty agents, each with its redirect addresses. */
const MAX_AGENTS_BYTES = 2 * KIB * KIB;
const MAX_AGENT_BYTES = 128 * KIB;
/** A thousand agents: registrations that are rejected or not decided are deleted after a month. */
const MAX_AGENT_PAGES = 20;
const NO_CONTENT = 204;

export class WaitingLists {
  readonly #signer: OfficeSigner;
  readonly #key: PinFile;

  constructor(signer: OfficeSigner, key: PinFile) {
    this.#signer = signer;
    this.#key = key;
  }

  /** Payments of declined cases that are to be paid back. */
  async listRefunds(): Promise<OwedRefund[]> {
    const owed: OwedRefund[] = [];
    for await (const refunds of walkRefunds(this.#signer, '/refunds'))
      for (const { id, sealed, restored } of refunds) {
        const refund = await openRefundOrNull(Buffer.from(sealed, 'base64url'), this.#key.identity);
        owed.push({ id, refund, isRestored: restored });
      }
    return owed;
  }

  /** Called once a person of the desk has made the refund at the provider. */
  async settleRefund(id: string): Promise<void> {
    await this.#settle(`/refunds/${requireId(id)}/done`);
  }

  /** Orders to review, the oldest day first; all pages, because a dispute, which has a deadline, may be last. */
  async listOrders(): Promise<readonly DeskOrder[]> {
    const walk = { list: 'list of orders', maxPages: MAX_ORDER_PAGES };
    const pages = walkPages(walk, (after) =>
      this.#signer.read(DeskOrdersSchema, toListPath('/orders', after), MAX_ORDERS_BYTES),
    );
    return (await Array.fromAsync(pages)).flatMap(({ orders }) => orders);
  }

  /** `done`: it is listed again when its payment changes. `release`: a restored order can be used for its inquiry. */
  async settleOrder(id: string, act: 'done' | 'release'): Promise<void> {
    await this.#settle(`/orders/${requireId(id)}/${act}`);
  }

  /** All pages, because agents that wait for a decision come last. Stops at the maximum if the list is longer. */
  async listAgents(): Promise<AgentList> {
    const agents: DeskAgent[] = [];
    let pages = 0;
    // One more than is read, so that the walk itself never throws.
    const walk = { list: 'list of agents', maxPages: MAX_AGENT_PAGES + 1 };
    for await (const page of walkPages(walk, (after) =>
      this.#signer.read(DeskAgentsSchema, toListPath('/agents', after), MAX_AGENTS_BYTES),
    )) {
      agents.push(...page.agents);
      pages += 1;
      if (pages === MAX_AGENT_PAGES) return { agents, hasMore: page.next !== null };
    }
    return { agents, hasMore: false };
  }

  /** Takes effect at once; returns the agent as it is then. */
  async decideAgent(id: string, json: DeskAgentDecision): Promise<DeskAgent> {
    const path = `/agents/${requireId(id)}`;
    const request = { method: 'POST', path, json, maxBytes: MAX_AGENT_BYTES } as const;
    const agent = await this.#signer.ask(DeskAgentSchema, request);
    if (agent.registration_id === id) return agent;
    throw createHostileFault('it is about another agent');
  }

  async #settle(path: string): Promise<void> {
    const { status } = await this.#signer.send({ method: 'POST', path, maxBytes: KIB });
    if (status !== NO_CONTENT) throw createHostileFault('it does not say that this was done');
  }
}

/** Prevents anything but an id from getting into a path at the office. */
function requireId(id: string): string {
  if (isId(id)) return id;
  throw new OfficeFault('refused', 'There is no such entry.');
}

export async function* walkRefunds(
  signer: OfficeSigner,
  list: keyof typeof maxRefundPages,
): AsyncGenerator<DeskRefunds['refunds']> {
  const walk = { list: 'list of refunds', maxPages: maxRefundPages[list] };
  for await (const { refunds, next } of walkPages(walk, (after) =>
    signer.read(DeskRefundsSchema, toListPath(list, after), MAX_REFUNDS_BYTES),
  )) {
    // Otherwise the office could keep this machine busy without listing anything.
    if (refunds.length === 0 && next !== null) throw createHostileFault(`its ${walk.list} does not end`);
    yield refunds;
  }
}

export function toListPath(path: string, after: string | undefined): string {
  return after === undefined ? path : `${path}?${new URLSearchParams({ after })}`;
}

interface ListWalk {
  /** What the text of a fault calls the list. */
  readonly list: string;
  readonly maxPages: number;
  /** The cursor at which an earlier walk stopped. */
  readonly start?: string | undefined;
}

/** Without these checks an office could keep the desk busy forever, by leading back to a page or by never ending. */
export async function* walkPages<Page extends { readonly next: string | null }>(
  { list, maxPages, start }: ListWalk,
  fetchPage: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  const walked = new Set<string | undefined>([start]);
  let after = start;
  for (let count = 0; count < maxPages; count += 1) {
    const page = await fetchPage(after);
    yield page;
    if (page.next === null) return;
    if (walked.has(page.next)) throw createHostileFault(`its ${list} leads back to an earlier page`);
    walked.add(page.next);
    after = page.next;
  }
  throw createHostileFault(`its ${list} does not end`);
}
