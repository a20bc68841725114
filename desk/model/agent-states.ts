/** The states of agents in words, and what an owner can decide in each. */
import type { DeskAgent } from '#desk/office/waiting-lists.ts';
import type { DeskAgentDecision } from '#wire/desk-lists.ts';

export type AgentDecision = DeskAgentDecision['decision'];

interface AgentState {
  readonly group: string;
  readonly means: string;
  readonly decisions: readonly AgentDecision[];
  /** Follows the agent's name once a decision has led to this state. */
  readonly done: string;
}

/** In the order of the list: agents that wait for a decision come first. */
const states: Readonly<Record<string, AgentState>> = {
  pending: {
    group: 'Asking to register',
    means: 'Waiting for a decision.',
    decisions: ['approve', 'reject'],
    done: 'is waiting for a decision.',
  },
  approved: {
    group: 'Secret not fetched yet',
    means: 'Approved. A link to its secret went to the contact; approving again sends a new one.',
    decisions: ['approve', 'reject'],
    done: 'is approved. A link to its secret goes to the contact.',
  },
  rotating: {
    group: 'New secret not fetched yet',
    means: 'The previous secret is void. A link to the new one went to the contact; approving sends another.',
    decisions: ['approve', 'suspend', 'rotate'],
    done: 'no longer has a secret. A link to a new one goes to the contact.',
  },
  active: {
    group: 'Active',
    means: 'Has its secret and the ticked permissions.',
    decisions: ['approve', 'suspend', 'rotate'],
    done: 'has the ticked permissions.',
  },
  suspended: {
    group: 'Suspended',
    means: 'Its secret and tokens are refused until an owner approves it again.',
    decisions: ['approve', 'rotate'],
    done: 'is suspended. Its next request will be refused.',
  },
  rejected: {
    group: 'Rejected',
    means: 'Refused for good: the program would have to register again.',
    decisions: [],
    done: 'is rejected.',
  },
};

const UNKNOWN: AgentState = {
  group: 'Unknown state',
  means: 'This desk does not know its state. “office agents show” on the server shows it.',
  decisions: [],
  done: 'is in a state that this desk does not know.',
};

export function describeAgentState({ state }: Pick<DeskAgent, 'state'>): AgentState {
  return (Object.hasOwn(states, state) ? states[state] : undefined) ?? UNKNOWN;
}

export function groupAgents(agents: readonly DeskAgent[]) {
  return [...Object.values(states), UNKNOWN]
    .map(({ group }) => ({
      name: group,
      agents: agents.filter((agent) => describeAgentState(agent).group === group),
    }))
    .filter((group) => group.agents.length > 0);
}

export function isPendingAgent({ state }: Pick<DeskAgent, 'state'>): boolean {
  return state === 'pending';
}
