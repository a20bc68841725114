/** The name of the cookie that holds a sign-in between its pages. */
export const SESSION_COOKIE = '__Host-sign-in';
