"""Small protocols that tests of several rooms share, and of which it is known by thinking what is found in them."""
