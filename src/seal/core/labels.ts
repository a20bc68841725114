/** The labels of the keys that buyers derive; none may ever change, or every existing case would become unreadable. */
export const wordsLabels = {
  salt: 'inquiry-office/words/v1',
  identity: 'age identity',
  lookupToken: 'lookup token',
} as const;

export const caseLabels = { salt: 'inquiry-office/case/v1', mac: 'mac' } as const;
