/** What each command of the agent works with: the service, the state, and how long to wait between two looks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentFailure, EXIT_USAGE } from './failure.ts';
import {
  createServiceCaller,
  type DiscoveredService,
  discoverService,
  type ServiceCaller,
} from './service.ts';
import { AgentState } from './state.ts';

export interface AgentRun {
  readonly service: DiscoveredService;
  readonly state: AgentState;
  /** For the seconds that are usual, or those of `--poll`. */
  readonly wait: (usualSeconds: number) => Promise<void>;
}

export interface ConnectedAgent extends AgentRun, ServiceCaller {}

export interface RunOptions {
  /** The address of the site; that of an earlier run if it is absent. */
  readonly site: string | undefined;
  readonly stateFile: string;
  readonly pollSeconds: number;
}

export async function startRun({ site, stateFile, pollSeconds }: RunOptions): Promise<AgentRun> {
  const state = new AgentState(stateFile);
  const address = site ?? state.facts.site;
  if (!address) throw new AgentFailure('Name the site: office-agent register SITE_URL', EXIT_USAGE);
  if (state.facts.site && state.facts.site !== address)
    throw new AgentFailure(
      `${stateFile} belongs to ${state.facts.site}; name another one with --state.`,
      EXIT_USAGE,
    );
  const service = await discoverService(address);
  state.store({ site: address });
  return {
    service,
    state,
    wait: (usualSeconds) => sleep((pollSeconds || usualSeconds) * 1_000),
  };
}

export async function connectAgent(run: AgentRun): Promise<ConnectedAgent> {
  const { credentials } = run.state.facts;
  if (!credentials) throw new AgentFailure('Not registered yet: office-agent register SITE_URL', EXIT_USAGE);
  return { ...run, ...(await createServiceCaller(run.service, credentials)) };
}
