/** Names of events as a sentence: `AUTHENTICATION_FAILED` and `LoginFailed` say what "authentication failed" and "login failed" say. */
export const plainWording = (text: string): string => text.replaceAll('_', ' ').replace(/([a-z\d])([A-Z])/g, '$1 $2')
