/** What owners may ask of the office besides cases. The office refuses everybody else. */
import type { DeskAgentDecision, DeskAgents, DeskOrders } from '#wire/desk-office.ts';

export type DeskOrder = DeskOrders['orders'][number];
export type DeskAgent = DeskAgents['agents'][number];

export interface AgentList {
  /** The oldest first. */
  readonly agents: readonly DeskAgent[];
  /** Whether there are more than a desk lists. */
  readonly hasMore: boolean;
}

export interface OwnerOffice {
  /** Those that need a hand, the oldest day first. None leads to a case. */
  listOrders(): Promise<readonly DeskOrder[]>;
  /** Somebody has looked at a quarantined or disputed order; it is listed again when its payment changes. */
  markOrderDone(id: string): Promise<void>;
  /** Lets an order that a restore holds be used for its inquiry. */
  releaseOrder(id: string): Promise<void>;
  listAgents(): Promise<AgentList>;
  /** Takes effect at once; returns the agent as it is then. */
  decideAgent(id: string, decision: DeskAgentDecision): Promise<DeskAgent>;
}
