"""A participant's session: enrolment, the plan, stored answers, its end, and withdrawal."""
