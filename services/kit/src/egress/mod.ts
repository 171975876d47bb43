export { type AddressRules, isLocalAddress, refusalOfAddress, refusalOfUrl, webAddress } from './address-rules.ts'
export { WrongCertificate } from './certificate.ts'
export {
  checkedLookup,
  createEgress,
  type Egress,
  type EgressInit,
  type EgressOptions,
  EgressRefused,
  type EgressResponse,
  isRedirect,
} from './egress.ts'
export { readUpTo } from './read-up-to.ts'
export { isWebPage, responseMessage } from './response-message.ts'
