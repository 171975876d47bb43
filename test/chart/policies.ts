import { BlockList, isIP } from 'node:net'
import type { Manifest } from './helm.ts'

type Labels = Readonly<Record<string, string>>
type Requirement = { key: string; operator: string; values?: readonly string[] }
type Selector = { matchLabels?: Labels; matchExpressions?: readonly Requirement[] }
type Peer = {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: { cidr: string; except?: readonly string[] }
}
type Port = { port?: number; endPort?: number; protocol?: string }
type Rule = { from?: readonly Peer[]; to?: readonly Peer[]; ports?: readonly Port[] }
type Policy = Manifest & {
  spec: { podSelector: Selector; policyTypes: readonly string[]; ingress?: readonly Rule[]; egress?: readonly Rule[] }
}

/** One end of a connection: a pod, or an address outside of the cluster. */
export type End = { namespace: string; labels: Labels } | { address: string }
export type Connection = { from: End; to: End; port: number; protocol?: 'TCP' | 'UDP' }

const meets = (labels: Labels, { key, operator, values = [] }: Requirement): boolean => {
  const value = labels[key]
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      throw new Error(`A selector has the operator ${operator}.`)
  }
}

const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every((requirement) => meets(labels, requirement))

const isWithin = (address: string, cidr: string): boolean => {
  const [network = '', length = ''] = cidr.split('/')
  // An IPv6 block contains no IPv4 address; Node's BlockList would match it as an IPv4-mapped one.
  if (isIP(network) !== isIP(address)) return false
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addSubnet(network, Number(length), family)
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Whether `end` matches a peer of a policy in `namespace`. Every namespace has its name as a label. */
const isPeer = ({ podSelector, namespaceSelector, ipBlock }: Peer, end: End, namespace: string): boolean => {
  if ('address' in end)
    return (
      ipBlock !== undefined &&
      isWithin(end.address, ipBlock.cidr) &&
      !(ipBlock.except ?? []).some((cidr) => isWithin(end.address, cidr))
    )
  if (ipBlock) return false
  const isThere = namespaceSelector
    ? selects(namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace })
    : end.namespace === namespace
  return isThere && selects(podSelector ?? {}, end.labels)
}

const isPort = ({ port, endPort = port, protocol = 'TCP' }: Port, connection: Connection): boolean =>
  protocol === (connection.protocol ?? 'TCP') &&
  (port === undefined || (connection.port >= port && connection.port <= (endPort ?? port)))

/** Whether one end allows the connection. A pod that no policy of that direction selects allows everything. */
const allowsAt = (policies: readonly Policy[], side: 'Ingress' | 'Egress', connection: Connection): boolean => {
  const [pod, other] = side === 'Ingress' ? [connection.to, connection.from] : [connection.from, connection.to]
  if ('address' in pod) return true
  const ofPod = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace && spec.policyTypes.includes(side) && selects(spec.podSelector, pod.labels),
  )
  if (ofPod.length === 0) return true
  return ofPod.some(({ metadata, spec }) =>
    ((side === 'Ingress' ? spec.ingress : spec.egress) ?? []).some((rule) => {
      const { ports = [] } = rule
      const peers = (side === 'Ingress' ? rule.from : rule.to) ?? []
      return (
        (ports.length === 0 || ports.some((port) => isPort(port, connection))) &&
        (peers.length === 0 || peers.some((peer) => isPeer(peer, other, metadata.namespace ?? '')))
      )
    }),
  )
}

/**
 * Whether the NetworkPolicies among the manifests allow a connection, with the semantics of the API: both ends must allow it, and
 * policies are additive. A port is that of the pod, not of its Service; named ports are not supported.
 */
export const isAllowed = (manifests: readonly Manifest[], connection: Connection): boolean => {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as Policy[]
  return allowsAt(policies, 'Egress', connection) && allowsAt(policies, 'Ingress', connection)
}
