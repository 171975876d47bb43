/**
 * The journeys on the distributed form, in one file: they share an installation, as each is about a service of its own. Those without a mouse run on the
 * embedded form only: keys send the requests of these buttons.
 */
import './listings.test.ts'
import './logs.test.ts'
import './music.test.ts'
