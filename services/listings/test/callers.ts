import { anonymous, type Caller } from '@trellis/kit/rpc'

export { anonymous }
export const local: Caller = { userId: 'local', kind: 'local', tier: 'local' }
export const account = (userId: string): Caller => ({ userId, kind: 'account', tier: 'free' })
export const guest = (id: string): Caller => ({ userId: `guest:${id}`, kind: 'guest', tier: 'free' })
