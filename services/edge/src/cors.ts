import fastifyCors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

export type CorsRules = { mount: string; origins: readonly string[] | 'any' }[]

const exposed = ['x-request-id', 'x-marketplace', 'content-disposition', 'content-range', 'retry-after']

/** Which pages of other origins may call: rules by mount, and none elsewhere. */
export const registerCors = async (server: FastifyInstance, rules: CorsRules): Promise<void> => {
  await server.register(fastifyCors, {
    hook: 'onRequest',
    delegator: (request, callback) => {
      const rule = rules.find(({ mount }) => request.url?.startsWith(`${mount}/`))
      const origin = rule?.origins === 'any' ? '*' : [...(rule?.origins ?? [])]
      if (Array.isArray(origin) && origin.length === 0) return callback(null, { origin: false })
      callback(null, {
        origin,
        credentials: origin !== '*',
        exposedHeaders: exposed,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        maxAge: 600,
      })
    },
  })
}
