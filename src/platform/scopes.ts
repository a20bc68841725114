/** The OAuth scopes that the specification defines. */
export const SCOPES = ['case:read', 'case:write', 'contact:write', 'pricing:read'] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}
