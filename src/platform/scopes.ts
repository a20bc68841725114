/** The four scopes of the specification: what a token may be good for. */
export const scopes = ['case:read', 'case:write', 'contact:write', 'pricing:read'] as const;

export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
