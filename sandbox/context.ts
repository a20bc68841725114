/** The context that every operation of the sandbox gets. */
import type { CallRecorder, FaultSwitchboard } from './faults.ts';
import type { DueTaskSchedule } from './schedule.ts';
import type { SandboxSettings } from './settings.ts';
import type { SandboxState } from './state.ts';
import type { WebhookQueue } from './webhooks.ts';

export interface SandboxContext {
  readonly settings: SandboxSettings;
  readonly state: SandboxState;
  readonly faults: FaultSwitchboard;
  readonly calls: CallRecorder;
  readonly schedule: DueTaskSchedule;
  readonly webhooks: WebhookQueue;
}
