/** The OAuth scopes that the specification defines. */
export const SCOPES = ['case:read', 'case:write', 'contact:write', 'pricing:read'] as const;

export type Scope = (typeof SCOPES)[number];

/** For a program that requests no scopes: those that /mcp requires. */
export const DEFAULT_SCOPES = ['case:read', 'case:write', 'contact:write'] as const satisfies Scope[];

/** As in specification 5.3. */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  'case:read': 'Read the caller’s own cases, their messages and their findings.',
  'case:write':
    'Buy a tier, submit an inquiry, write messages, withdraw a case or change how long it is kept, list the caller’s own orders.',
  'contact:write': 'Send a contact message.',
  'pricing:read': 'Read prices and whether payments are active.',
};
