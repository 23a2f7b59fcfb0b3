-- A town's library: what was lent to whom, from which branch.
CREATE TABLE public.authors (
    author_id integer PRIMARY KEY,
    name text NOT NULL,
    country text,
    birth_year integer
);
CREATE TABLE public.books (
    book_id integer PRIMARY KEY,
    title text NOT NULL,
    author_id integer NOT NULL REFERENCES public.authors,
    genre text,
    pages integer,
    published_year integer,
    language text
);
CREATE TABLE public.branches (
    branch_id integer PRIMARY KEY,
    name text NOT NULL,
    city text,
    opened_year integer
);
CREATE TABLE public.members (
    member_id integer PRIMARY KEY,
    first_name text NOT NULL,
    last_name text NOT NULL,
    city text,
    joined_on date,
    membership_type text
);
CREATE TABLE public.loans (
    loan_id integer PRIMARY KEY,
    book_id integer NOT NULL REFERENCES public.books,
    member_id integer NOT NULL REFERENCES public.members,
    branch_id integer NOT NULL REFERENCES public.branches,
    loaned_on date NOT NULL,
    returned_on date,
    fine numeric(6, 2)
);
INSERT INTO public.authors VALUES
    (1, 'Ines Valdez', 'Spain', 1951), (2, 'Tomas Berg', 'Norway', 1968), (3, 'Ruth Okafor', 'Nigeria', 1974),
    (4, 'Li Na Chen', 'China', 1980), (5, 'Mary Ashdown', 'Ireland', 1944), (6, 'Per Holm', 'Norway', 1959);
INSERT INTO public.books VALUES
    (1, 'The Salt Road', 1, 'history', 412, 1998, 'Spanish'), (2, 'Winter Harbour', 2, 'crime', 288, 2011, 'Norwegian'),
    (3, 'Red Earth', 3, 'novel', 356, 2005, 'English'), (4, 'The Paper Garden', 4, 'novel', 240, 2016, 'English'),
    (5, 'Bees and Wasps', 5, 'science', 198, 1987, 'English'), (6, 'The Cold Lamp', 2, 'crime', 301, 2014, 'Norwegian'),
    (7, 'A Field of Stones', 3, 'poetry', 96, 2010, 'English'), (8, 'Fjord', 6, 'history', 510, 2001, 'Norwegian'),
    (9, 'Night Ferry', 2, 'crime', 275, 2018, 'English'), (10, 'Small Machines', 5, 'science', 330, 1979, 'English');
INSERT INTO public.branches VALUES
    (1, 'Central', 'Marlow', 1921), (2, 'Riverside', 'Marlow', 1984), (3, 'Hill Top', 'Penwick', 2003);
INSERT INTO public.members VALUES
    (1, 'Nora', 'Finch', 'Marlow', '2019-03-02', 'standard'), (2, 'Omar', 'Haddad', 'Penwick', '2020-07-15', 'student'),
    (3, 'Greta', 'Lind', 'Marlow', '2021-01-20', 'senior'), (4, 'Paul', 'Novak', 'Marlow', '2021-09-09', 'standard'),
    (5, 'Aiko', 'Mori', 'Penwick', '2022-04-30', 'student'), (6, 'Sam', 'Reed', 'Oakham', '2018-11-11', 'standard');
INSERT INTO public.loans VALUES
    (1, 1, 1, 1, '2024-01-05', '2024-01-25', 0), (2, 2, 1, 1, '2024-02-01', '2024-03-10', 3.40),
    (3, 3, 2, 3, '2024-02-11', '2024-02-20', 0), (4, 2, 3, 2, '2024-03-03', '2024-03-30', 1.20),
    (5, 9, 4, 1, '2024-03-15', NULL, NULL), (6, 6, 4, 2, '2024-04-01', '2024-04-12', 0),
    (7, 5, 5, 3, '2024-04-21', '2024-06-02', 5.00), (8, 2, 2, 1, '2024-05-05', '2024-05-28', 0.60),
    (9, 8, 1, 1, '2024-05-19', NULL, NULL), (10, 4, 3, 2, '2024-06-01', '2024-06-15', 0),
    (11, 9, 5, 3, '2024-06-20', '2024-07-01', 0), (12, 3, 1, 2, '2024-07-07', NULL, NULL);
