/** Names the parts that every operation of the sandbox works with. */
import type { Faults } from './faults.ts';
import type { Schedule } from './schedule.ts';
import type { Settings } from './settings.ts';
import type { State } from './state.ts';
import type { Webhooks } from './webhooks.ts';

export interface Till {
  readonly settings: Settings;
  readonly state: State;
  readonly faults: Faults;
  readonly schedule: Schedule;
  readonly webhooks: Webhooks;
}
