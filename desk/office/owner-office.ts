/** What owners may ask of the office besides cases. The office refuses everybody else. */
import type { DeskOrders } from '#wire/desk-office.ts';

export type DeskOrder = DeskOrders['orders'][number];

export interface OwnerOffice {
  /** Those that need a hand, the oldest day first. None leads to a case. */
  listOrders(): Promise<readonly DeskOrder[]>;
  /** Somebody has looked at a quarantined or disputed order; it is listed again when its payment changes. */
  markOrderDone(id: string): Promise<void>;
  /** Lets an order that a restore holds be used for its inquiry. */
  releaseOrder(id: string): Promise<void>;
}
