/** What an agent may be known by and what it may hold, as the specification lists them (5.1). */
export const identityTypes = ['email', 'did', 'oauth'] as const;

export const credentialTypes = ['bearer', 'dpop'] as const;
