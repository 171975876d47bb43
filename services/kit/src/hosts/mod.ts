export { hostNameOf, isLoopbackName, matchesHost } from './host-name.ts'
