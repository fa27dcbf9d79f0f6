"""The rooms in which people play together.

Their rules without I/O, the room manager, the stored log, and the view of each person.
"""
