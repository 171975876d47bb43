export { loadKeyFile } from './key-file.ts'
export { isSameSecret } from './secrets.ts'
export { issueSession, sessionLifetimeSeconds, verifySession } from './session.ts'
